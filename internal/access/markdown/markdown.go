// Package markdown writes a report as Markdown for a comment on a change: short enough for a comment, with names as plain
// text.
package markdown

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

// MaxLength is the maximum length of a comment on GitHub, in characters. [Write] stays below it, counted in bytes.
const MaxLength = 65536

// maxRisks is how many risks are listed before the rest is counted.
const maxRisks = 20

// Write writes a report as a comment on a change: the summary, the risks, then tables. Names in it
// can't become links, mentions, HTML or columns. Lines that don't fit are counted in the last line.
func Write(w io.Writer, r *report.Report) error {
	d := &document{limit: MaxLength - 600} // place for the last line
	switch {
	case r.Since == "":
		d.line("### Access review")
	case len(r.Unknown) > 0:
		d.line("**" + report.IncompleteText + "**")
		d.line("")
		fallthrough
	default:
		d.line("### Access changes")
	}
	d.line("")
	d.line("**" + plain(r.Summary.Text) + "**")
	d.about(r)
	d.risks(r.Findings())
	d.rules(r.Rules)
	d.found(r.Found)
	d.people(r.People)
	channels, groups, organization := r.ChannelBlocks(), r.GroupBlocks(), r.OrganizationBlocks()
	d.blocks("Channels", "Channel", channels)
	d.blocks("User groups", "Group", groups)
	d.blocks("The organization", "", organization)
	d.unknown(r.Unknown)
	for _, one := range report.Consequences(slices.Concat(channels, groups, organization)) {
		d.details(inSummary(one.Title), []string{"", "Change", "Gains", "Loses"}, d.consequences(one.Blocks))
	}
	d.also(r.Also)
	d.writeLists()
	d.end()
	_, err := io.WriteString(w, d.text.String())
	return err
}

// document is a text of limited length.
type document struct {
	text  strings.Builder
	limit int
	// left counts the lines that did not fit.
	left int
	// lists are the lists that are too long for their place, each once.
	lists []string
}

// list names the first of some texts, and puts the whole list at the end.
func (d *document) list(texts []string) string {
	if len(texts) <= report.MaxListed+1 { // "and 1 more" takes the place of the one
		return strings.Join(texts, ", ")
	}
	all := strings.Join(texts, ", ")
	at := slices.Index(d.lists, all)
	if at < 0 {
		at = len(d.lists)
		d.lists = append(d.lists, all)
	}
	return fmt.Sprintf("%s (list %d)", report.List(texts), at+1)
}

// writeLists writes the lists, closed.
func (d *document) writeLists() {
	const end = "</details>"
	head := []string{"", fmt.Sprintf("<details><summary>All names: %s</summary>", report.Counted(len(d.lists), "list")), ""}
	switch {
	case len(d.lists) == 0:
		return
	case !d.fits(append(head, "", end)...):
		d.left += len(d.lists)
		return
	}
	for _, one := range head {
		d.line(one)
	}
	for i, list := range d.lists {
		if text := fmt.Sprintf("%d. %s", i+1, list); d.fits(text, "", end) {
			d.line(text)
		} else {
			d.left++
		}
	}
	d.line("")
	d.line(end)
}

// details writes a table that is closed.
func (d *document) details(title string, columns []string, rows []cells) {
	const end = "</details>"
	head := []string{"", fmt.Sprintf("<details><summary>%s: %s</summary>", title, report.Counted(len(rows), "line")), "", line(columns), "|" + strings.Repeat(" --- |", len(columns))}
	switch {
	case len(rows) == 0:
		return
	case !d.fits(append(head, "", end)...):
		d.left += len(rows)
		return
	}
	for _, one := range head {
		d.line(one)
	}
	for i, row := range rows {
		if !d.fits(line(row), "", end) {
			d.left += len(rows) - i
			break
		}
		d.line(line(row))
	}
	d.line("")
	d.line(end)
}

func (d *document) fits(lines ...string) bool {
	length := d.text.Len()
	for _, line := range lines {
		length += len(line) + 1
	}
	return length <= d.limit
}

func (d *document) line(text string) {
	d.text.WriteString(text)
	d.text.WriteByte('\n')
}

// about says what was compared.
func (d *document) about(r *report.Report) {
	var conditions []string
	for _, condition := range r.Summary.Conditions {
		conditions = append(conditions, "`"+string(condition)+"`")
	}
	var parts []string
	if len(conditions) > 0 {
		parts = append(parts, strings.Join(conditions, " "))
	}
	switch {
	case r.Since != "":
		parts = append(parts, code(r.Site)+" compared with "+plain(r.Since))
	case r.Site != "":
		parts = append(parts, "compared with "+code(r.Site)+" as it is now")
	}
	if len(parts) > 0 {
		d.line("")
		d.line(strings.Join(parts, " · "))
	}
}

// risks lists the risks.
func (d *document) risks(all []report.RiskGroup) {
	if len(all) > 0 {
		d.line("")
	}
	for i, one := range all {
		where := make([]string, len(one.Where))
		for at, text := range one.Where {
			where[at] = plain(text)
		}
		line := fmt.Sprintf("- %#q: %s. %s", one.Condition, d.list(where), plain(one.Text))
		if i >= maxRisks || !d.fits(line) {
			d.line(fmt.Sprintf("- and %s", report.Counted(len(all)-i, "more risk")))
			return
		}
		d.line(line)
	}
}

// maxRuleLine is the maximum length of a line about a rule, in characters: twenty people with the sources of their access.
const maxRuleLine = 4000

// rules lists the rules that fail, are unknown or have notes, and counts the others.
func (d *document) rules(all []*report.Rule) {
	if len(all) == 0 {
		return
	}
	d.line("")
	d.line("#### Rules")
	d.line("")
	for _, rule := range all {
		if rule.IsQuiet() {
			continue
		}
		lines := rule.Lines()
		text := fmt.Sprintf("- %s (%s): **%s**", code(rule.Name), code(rule.At), lines[0])
		for _, line := range lines[1:] {
			text += "\n  - " + plain(atMost(line, maxRuleLine))
		}
		if !d.fits(text) {
			d.left++
			continue
		}
		d.line(text)
	}
	if text := report.QuietText(all); text != "" {
		d.line("- " + text)
	}
}

// found lists the findings of an audit, the new ones first.
func (d *document) found(all []report.Found) {
	if len(all) == 0 {
		return
	}
	d.line("")
	d.line("#### Findings")
	d.line("")
	for i, one := range all {
		where := make([]string, len(one.Where))
		for at, text := range one.Where {
			where[at] = plain(text)
		}
		when := "as before"
		if one.IsNew {
			when = "**new**"
		}
		line := fmt.Sprintf("- %#q (%s), %s: %s. %s", one.Kind, one.Severity, when, report.List(where), plain(one.Text))
		if i >= maxRisks || !d.fits(line) {
			d.line(fmt.Sprintf("- and %s; an audit without `--against` lists all", report.Counted(len(all)-i, "more finding")))
			return
		}
		d.line(line)
	}
}

// table writes as many rows as fit, and counts the others.
func (d *document) table(title string, columns []string, rows []cells) {
	if len(rows) == 0 {
		return
	}
	head := []string{"", "#### " + title, "", line(columns), "|" + strings.Repeat(" --- |", len(columns))}
	for i, row := range rows {
		text := line(row)
		switch {
		case i == 0 && !d.fits(append(head, text)...), !d.fits(text):
			d.left += len(rows) - i
			return
		case i == 0:
			for _, one := range head {
				d.line(one)
			}
		}
		d.line(text)
	}
}

// cells are the cells of a row of a table, escaped.
type cells []string

func line(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }

func (d *document) unknown(sentences []string) {
	if len(sentences) == 0 {
		return
	}
	if !d.fits("", "#### Not known yet", "") {
		d.left += len(sentences)
		return
	}
	d.line("")
	d.line("#### Not known yet")
	d.line("")
	for i, sentence := range sentences {
		text := "- " + plain(sentence)
		if !d.fits(text) {
			d.left += len(sentences) - i
			return
		}
		d.line(text)
	}
}

// also lists the other changes, closed, because they don't affect access.
func (d *document) also(all []*report.Also) {
	const end = "</details>"
	if len(all) == 0 {
		return
	}
	head := []string{"", fmt.Sprintf("<details><summary>Other changes: %s</summary>", report.Counted(len(all), "resource")), ""}
	if !d.fits(append(head, "", end)...) {
		d.left += len(all)
		return
	}
	for _, one := range head {
		d.line(one)
	}
	for i, one := range all {
		text := "- " + code(one.Resource)
		if one.Action != report.Update {
			text += " is " + one.Action.Adjective()
		}
		var changes []string
		for _, attribute := range one.Attributes {
			changes = append(changes, fmt.Sprintf("%s: %s → %s", code(attribute.Name), valueText(attribute.Change.Before), valueText(attribute.Change.After)))
		}
		if len(changes) > 0 {
			text += ": " + strings.Join(changes, "; ")
		}
		if !d.fits(text, "", end) {
			d.left += len(all) - i
			break
		}
		d.line(text)
	}
	d.line("")
	d.line(end)
}

// end says what the text leaves out.
func (d *document) end() {
	if d.left > 0 {
		d.line("")
		d.line(fmt.Sprintf("**%s left out, because comments have a maximum length. `--json` and `--html` write the whole review.**", areLeft(d.left, "line")))
	}
}

func areLeft(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " is"
	}
	return report.Counted(n, thing) + " are"
}
