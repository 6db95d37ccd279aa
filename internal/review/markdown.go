package review

import (
	"fmt"
	"io"
	"strings"
)

// MaxMarkdown is how long a comment can be that GitHub takes, in characters. [WriteMarkdown] stays below it, counted in
// bytes.
const MaxMarkdown = 65536

// How much the Markdown names before it counts.
const (
	namedInPlace = 5 // people, channels and values
	namedRisks   = 20
)

// WriteMarkdown writes a review as a comment on a change: the verdict, the risks, then tables. No name in it can become
// anything else than text: neither a link nor a mention, neither HTML nor a column. What there is no place for is counted
// in the last line.
func WriteMarkdown(w io.Writer, r *Review) error {
	m := &markdown{limit: MaxMarkdown - 600} // place for the last line
	m.line("### Access review")
	m.line("")
	m.line("**" + plain(r.Verdict.Text) + "**")
	m.about(r)
	m.risks(r.Findings())
	m.people(r.People)
	m.channels(r.Channels)
	m.groups(r.Groups)
	m.table("The organization", []string{"", "Who can", "Before", "After", "Gains", "Loses"}, rightRows(r.Rights, "the organization"))
	m.unknown(r.Unknown)
	m.end(r)
	_, err := io.WriteString(w, m.text.String())
	return err
}

// markdown is a text with an end.
type markdown struct {
	text  strings.Builder
	limit int
	// left counts what there was no place for.
	left int
}

func (m *markdown) fits(lines ...string) bool {
	length := m.text.Len()
	for _, line := range lines {
		length += len(line) + 1
	}
	return length <= m.limit
}

func (m *markdown) line(text string) {
	m.text.WriteString(text)
	m.text.WriteByte('\n')
}

// about says what was compared with what.
func (m *markdown) about(r *Review) {
	var words []string
	for _, word := range r.Verdict.Words {
		words = append(words, "`"+string(word)+"`")
	}
	var parts []string
	if len(words) > 0 {
		parts = append(parts, strings.Join(words, " "))
	}
	if r.Site != "" {
		parts = append(parts, "compared with "+code(r.Site)+" as it is now")
	}
	if len(parts) > 0 {
		m.line("")
		m.line(strings.Join(parts, " · "))
	}
}

// risks lists what was found.
func (m *markdown) risks(all []Finding) {
	if len(all) > 0 {
		m.line("")
	}
	for i, one := range all {
		where := make([]string, len(one.Where))
		for at, text := range one.Where {
			where[at] = plain(text)
		}
		line := fmt.Sprintf("- %#q: %s. %s", one.Word, some(where), plain(one.Text))
		if i >= namedRisks || !m.fits(line) {
			m.line(fmt.Sprintf("- and %s", counted(len(all)-i, "more risk")))
			return
		}
		m.line(line)
	}
}

// table writes rows as far as there is place. A row that is left out counts.
func (m *markdown) table(title string, columns []string, rows []cells) {
	if len(rows) == 0 {
		return
	}
	head := []string{"", "#### " + title, "", line(columns), "|" + strings.Repeat(" --- |", len(columns))}
	for i, row := range rows {
		text := line(row)
		switch {
		case i == 0 && !m.fits(append(head, text)...), !m.fits(text):
			m.left += len(rows) - i
			return
		case i == 0:
			for _, one := range head {
				m.line(one)
			}
		}
		m.line(text)
	}
}

// cells are those of a row of a table, escaped.
type cells []string

func line(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }

func (m *markdown) unknown(sentences []string) {
	if len(sentences) == 0 {
		return
	}
	if !m.fits("", "#### Not known yet", "") {
		m.left += len(sentences)
		return
	}
	m.line("")
	m.line("#### Not known yet")
	m.line("")
	for i, sentence := range sentences {
		text := "- " + plain(sentence)
		if !m.fits(text) {
			m.left += len(sentences) - i
			return
		}
		m.line(text)
	}
}

// end says what is not in the text.
func (m *markdown) end(r *Review) {
	if m.left > 0 {
		m.line("")
		m.line(fmt.Sprintf("**%s left out here: a comment has no place for more. The whole review is in what `--json` writes, and on the page of `--html`.**", areCounted(m.left, "line")))
	}
	if r.Others > 0 {
		m.line("")
		m.line(fmt.Sprintf("The plan has %s, without a say in who may do what.", counted(r.Others, "other change")))
	}
}

func areCounted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " is"
	}
	return counted(n, thing) + " are"
}
