// Package markdown writes a report as Markdown for a comment on a change: short enough for a comment, with names as plain
// text.
package markdown

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
)

// MaxLength is the maximum length of a comment on GitHub, in characters. [Write] stays below it, counted in bytes.
const MaxLength = 65536

// maxRisks is how many risks are listed before the rest is counted.
const maxRisks = 20

// Write writes a report as a comment on a change: the summary, the risks, a table of all changes, and what is closed. Names in
// it can't become links, mentions, HTML or columns. Lines that don't fit are counted in the last line.
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
	d.line(strings.Join(append([]string{"**" + plain(r.Summary.Text) + "**"}, about(r)...), " · "))
	hasAllRisks := d.risks(r.Findings())
	d.rules(r.Rules)
	d.found(r.Found)
	title := ""
	if len(r.Rules)+len(r.Found) > 0 {
		title = "Changes"
	}
	blocks := slices.Concat(r.ChannelBlocks(), r.GroupBlocks(), r.OrganizationBlocks())
	d.table(title, []string{"Where", "Change", "Gains", "Loses"}, d.changes(r.People, hasAllRisks, blocks))
	d.section([]string{"", "#### Not known yet", ""}, bullets(r.Unknown, plain))
	d.consequences(report.Consequences(blocks))
	d.closed("Other changes: "+report.Counted(len(r.Also), "resource"), nil, bullets(r.Also, alsoText))
	if d.left > 0 {
		d.line("")
		d.line(fmt.Sprintf("**%s left out, because comments have a maximum length. `--json` and `--html` write the whole review.**", report.InWords(d.left, "line is", "lines are")))
	}
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
	// compared are the first of them, of which others can be written as a difference.
	compared [][]string
}

// maxInPlace is the number of texts that a list has in its place. A list is compared with only so many others, because there
// can be thousands.
const (
	maxInPlace  = 2 * report.MaxListed
	maxCompared = 32
)

// list writes some texts in their place, or names the first of them and puts the whole list at the end. If it differs little
// from a list that is already there, it writes the difference.
func (d *document) list(texts []string) string {
	if len(texts) <= maxInPlace {
		return strings.Join(texts, ", ")
	}
	all := strings.Join(texts, ", ")
	at := slices.Index(d.lists, all)
	for i, list := range d.compared {
		if at >= 0 {
			break
		}
		without, with := sets.Without(list, texts), sets.Without(texts, list)
		switch {
		case len(without) == 0 && len(with) <= report.MaxListed:
			return fmt.Sprintf("%s, and list %d", strings.Join(with, ", "), i+1)
		case len(with) == 0 && len(without) <= maxInPlace:
			return fmt.Sprintf("list %d without %s", i+1, strings.Join(without, ", "))
		}
	}
	if at < 0 {
		at = len(d.lists)
		d.lists = append(d.lists, all)
		if at < maxCompared {
			d.compared = append(d.compared, texts)
		}
	}
	return fmt.Sprintf("%s (list %d)", report.List(texts), at+1)
}

// section writes as many lines as fit, after a head and before an end, and counts the others.
func (d *document) section(head, lines []string, end ...string) {
	free := d.limit - d.text.Len()
	for _, text := range slices.Concat(head, end) {
		free -= len(text) + 1
	}
	fitting := 0
	for ; fitting < len(lines) && len(lines[fitting]) < free; fitting++ {
		free -= len(lines[fitting]) + 1
	}
	if fitting > 0 {
		for _, text := range slices.Concat(head, lines[:fitting], end) {
			d.line(text)
		}
	}
	d.left += len(lines) - fitting
}

// closed is a section that the reader opens. The title says how much is in it.
func (d *document) closed(title string, head, lines []string) {
	d.section(append([]string{"", "<details><summary>" + title + "</summary>", ""}, head...), lines, "", "</details>")
}

// table is a section with a table; its title is optional.
func (d *document) table(title string, columns []string, rows []cells) {
	head := []string{""}
	if title != "" {
		head = append(head, "#### "+title, "")
	}
	d.section(append(head, tableHead(columns)...), lists.Map(rows, line))
}

func (d *document) line(text string) {
	d.text.WriteString(text)
	d.text.WriteByte('\n')
}

// cells are the cells of a row of a table, escaped.
type cells []string

func line(row cells) string { return "| " + strings.Join(row, " | ") + " |" }

func tableHead(columns []string) []string {
	return []string{line(columns), "|" + strings.Repeat(" --- |", len(columns))}
}

// bullets are the lines of a list.
func bullets[T any](all []T, text func(T) string) []string {
	return lists.Map(all, func(one T) string { return "- " + text(one) })
}

// first is a section with the first of some lines. The last line counts the others. It reports whether there are none.
func (d *document) first(head, lines []string, thing, hint string) bool {
	left := d.left
	d.section(head, lines[:min(len(lines), maxRisks)])
	rest := len(lines) - min(len(lines), maxRisks) + d.left - left
	if d.left = left; rest > 0 {
		d.line("- and " + report.Counted(rest, thing) + hint)
	}
	return rest == 0
}

// about says which conditions apply, and what was compared.
func about(r *report.Report) (parts []string) {
	if conditions := r.Summary.Conditions; len(conditions) > 0 {
		parts = append(parts, "`"+strings.Join(lists.Strings(conditions), "` `")+"`")
	}
	switch {
	case r.Since != "":
		parts = append(parts, code(r.Site)+" compared with "+plain(r.Since))
	case r.Site != "":
		parts = append(parts, "compared with "+code(r.Site)+" as it is now")
	}
	return parts
}

// risks lists the risks. It reports whether all are listed.
func (d *document) risks(all []report.RiskGroup) bool {
	return d.first([]string{""}, bullets(all, func(one report.RiskGroup) string {
		return fmt.Sprintf("%#q: %s. %s", one.Condition, d.list(lists.Map(one.Where, plain)), plain(one.Text))
	}), "more risk", "")
}

// maxRuleLine is the maximum length of a line about a rule, in characters: twenty people with the sources of their access.
const maxRuleLine = 4000

// rules lists the rules that fail, are unknown or have notes, and counts the others.
func (d *document) rules(all []*report.Rule) {
	var lines []string
	for _, rule := range all {
		if rule.IsQuiet() {
			continue
		}
		about := rule.Lines()
		text := fmt.Sprintf("- %s (%s): **%s**", code(rule.Name), code(rule.At), about[0])
		for _, line := range about[1:] {
			text += "\n  - " + plain(meaning.Cut(line, maxRuleLine))
		}
		lines = append(lines, text)
	}
	if text := report.QuietText(all); text != "" {
		lines = append(lines, "- "+text)
	}
	d.section([]string{"", "#### Rules", ""}, lines)
}

// found lists the findings of an audit, the new ones first.
func (d *document) found(all []report.Found) {
	d.first([]string{"", "#### Findings", ""}, bullets(all, func(one report.Found) string {
		when := "as before"
		if one.IsNew {
			when = "**new**"
		}
		return fmt.Sprintf("%#q (%s), %s: %s. %s", one.Kind, one.Severity, when, report.List(lists.Map(one.Where, plain)), plain(one.Text))
	}), "more finding", "; an audit without `--against` lists all")
}

// alsoText writes a change that doesn't affect access.
func alsoText(one *report.Also) string {
	text := code(one.Resource)
	if one.Action != report.Update {
		text += " is " + one.Action.Adjective()
	}
	changes := lists.Map(one.Attributes, func(attribute report.AlsoAttribute) string {
		return fmt.Sprintf("%s: %s → %s", code(attribute.Name), valueText(attribute.Change.Before), valueText(attribute.Change.After))
	})
	if len(changes) > 0 {
		text += ": " + strings.Join(changes, "; ")
	}
	return text
}
