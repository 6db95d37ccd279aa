package review

import (
	"html/template"
	"strconv"
	"strings"
)

// The frame of the page is a template. What there can be thousands of is written here: a template takes ten times as
// long. What the template needs of it too, it calls.

// markup is HTML that this package writes itself. A constant becomes one without being asked; a name does not, so that
// none is written as it is by mistake.
type markup string

// sheet is HTML as it grows.
type sheet struct{ html strings.Builder }

func (s *sheet) markup(parts ...markup) {
	for _, part := range parts {
		s.html.WriteString(string(part))
	}
}

// text writes what is not markup, also in an attribute between double quotes.
func (s *sheet) text(text string) { s.html.WriteString(template.HTMLEscapeString(text)) }

func (s *sheet) number(n int) { s.html.WriteString(strconv.Itoa(n)) }

// name writes a name, which does not turn around what is beside it.
func (s *sheet) name(name string) {
	s.markup("<bdi>")
	s.text(name)
	s.markup("</bdi>")
}

func (s *sheet) done() template.HTML {
	return template.HTML(s.html.String()) //nolint:gosec // every text in it is escaped
}

// snippet is what some writing comes to.
func snippet(write func(*sheet)) template.HTML {
	var s sheet
	write(&s)
	return s.done()
}

// change writes what a value was, and what it becomes.
func (s *sheet) change(change Change) {
	s.markup(`<span class="change">`)
	if change.Differs() {
		s.value(change.Before)
		s.markup(` <span class="arrow" aria-hidden="true">→</span><span class="sr"> becomes </span> `)
		s.value(change.After)
	} else {
		s.value(change.After)
		s.markup(" <small>as before</small>")
	}
	s.markup("</span>")
}

func (s *sheet) value(value Value) {
	s.markup(`<span class="value">`)
	for i, word := range value.Words {
		if i > 0 {
			s.markup(", ")
		}
		s.name(word)
	}
	switch {
	case value.Unknown && len(value.Words) > 0:
		s.markup(` and <b class="unknown">not known yet</b>`)
	case value.Unknown:
		s.markup(`<b class="unknown">not known yet</b>`)
	case len(value.Words) == 0:
		s.markup("<i>none</i>")
	}
	s.markup("</span>")
}

// about writes what stands beside a name: what it was called, and what the plan does with it.
func (s *sheet) about(oldName string, action Action) {
	if oldName != "" {
		s.markup(" <small>was ")
		s.name(oldName)
		s.markup("</small>")
	}
	if words := inWords(action); words != "" {
		s.markup(` <small class="action">`)
		s.text(words)
		s.markup("</small>")
	}
}

func (s *sheet) addresses(addresses []string) {
	if len(addresses) == 0 {
		return
	}
	s.markup(`<p class="addresses">`)
	for _, address := range addresses {
		s.markup("<code>")
		s.text(address)
		s.markup("</code> ")
	}
	s.markup("</p>")
}

// mark writes the attributes by which the script finds an effect.
func (s *sheet) mark(e *effect) {
	s.markup(` data-right="`)
	s.number(e.Option.Index)
	s.markup(`"`)
	if e.Gain != nil {
		s.markup(` data-gain="`)
		s.number(e.Gain.Index)
		s.markup(`"`)
	}
	if e.Lose != nil {
		s.markup(` data-lose="`)
		s.number(e.Lose.Index)
		s.markup(`"`)
	}
	if e.Unknown {
		s.markup(" data-unknown")
	}
}

// The signs; what each means is in the legend.
const (
	signUnknown    markup = `<b class="unknown">?</b>`
	signNobodyLeft markup = `<b class="lose none">none left</b>`
	signNothing    markup = `<b>±0</b>`
)

func (s *sheet) gains(set *set) {
	s.markup(`<b class="gain">+`)
	s.text(count(set.Len()))
	s.markup("</b>")
}

func (s *sheet) loses(set *set) {
	s.markup(`<b class="lose">−`)
	s.text(count(set.Len()))
	s.markup("</b>")
}

// signs writes an effect as short as in a cell of the matrix.
func (s *sheet) signs(e *effect) {
	if e.Unknown {
		s.markup(signUnknown)
	}
	switch e.Internet {
	case InternetGains:
		s.markup(` <b class="gain">+ internet</b>`)
	case InternetLoses:
		s.markup(` <b class="lose">− internet</b>`)
	}
	if e.Gain != nil {
		s.markup(" ")
		s.gains(e.Gain)
	}
	if e.Lose != nil {
		s.markup(" ")
		s.loses(e.Lose)
	}
	if e.NobodyLeft {
		s.markup(" ", signNobodyLeft)
	}
	if e.IsNothing() {
		s.markup(signNothing)
	}
}

// effect writes one in full: the value before and after, and who gains and who loses.
func (s *sheet) effect(e *effect) {
	s.markup(`<p class="right">`)
	s.text(e.Text)
	if e.Name != "" {
		s.markup(" <code>")
		s.text(e.Name)
		s.markup("</code>")
	}
	s.markup("</p>")
	if e.Change.Differs() || len(e.Change.After.Words) > 0 {
		s.markup("<p>")
		s.change(e.Change)
		s.markup("</p>")
	}
	switch e.Internet {
	case InternetGains:
		s.markup(`<p><b class="gain">+</b> Anyone on the internet, without an account</p>`)
	case InternetLoses:
		s.markup(`<p><b class="lose">−</b> Those without an account</p>`)
	}
	if e.Gain != nil {
		s.markup("<p>")
		s.gains(e.Gain)
		s.people(e.Gain)
		s.markup("</p>")
	}
	if e.Lose != nil {
		s.markup("<p>")
		s.loses(e.Lose)
		s.people(e.Lose)
		s.markup("</p>")
	}
	if e.NobodyLeft {
		s.markup("<p>", signNobodyLeft, " Nobody has it any more.</p>")
	}
	if e.Unknown {
		s.markup("<p>", signUnknown, " ")
		if e.Why != "" {
			s.name(e.Why)
		} else {
			s.markup("Not known who gains and who loses.")
		}
		s.markup("</p>")
	}
	if e.IsNothing() {
		s.markup("<p>", signNothing, " Nobody gains or loses.</p>")
	}
}

// people names the first of a set, and leads to all.
func (s *sheet) people(set *set) {
	s.markup(` <a href="#who-`)
	s.number(set.Index)
	s.markup(`">`)
	for i, account := range set.First() {
		if i > 0 {
			s.markup(", ")
		}
		s.name(account.Name)
	}
	if rest := set.Rest(); rest > 0 {
		s.markup(" and ")
		s.text(count(rest))
		s.markup(" more")
	}
	s.markup("</a>")
	if set.Guests > 0 {
		s.markup(" <small>")
		s.text(counted(set.Guests, "guest"))
		s.markup("</small>")
	}
}

// MatrixRows are the channels, each with its cells, and behind them its values before and after.
func (p *page) MatrixRows() template.HTML {
	return snippet(func(s *sheet) {
		for _, row := range p.Rows {
			s.markup("\n", `<tbody role="rowgroup" id="channel-`)
			s.number(row.Index)
			s.markup(`" data-item data-name="`)
			s.text(strings.TrimSpace(row.Name + " " + row.OldName))
			s.markup(`">`, "\n", `<tr role="row"><th role="rowheader" scope="row">`)
			s.name(row.Name)
			s.about(row.OldName, row.Action)
			s.markup("</th>")
			for _, e := range row.Cells {
				s.cell(e)
			}
			s.markup("</tr>\n", `<tr role="row"><td role="cell" class="more" colspan="`)
			s.number(len(p.Columns) + 1)
			s.markup(`"><details><summary aria-label="`)
			s.text(row.Name)
			s.markup(`: before and after"></summary>`)
			s.later(p.IsLong(), func() { s.beforeAndAfter(row) })
			s.markup("</details></td></tr>\n</tbody>")
		}
	})
}

func (s *sheet) cell(e *effect) {
	s.markup(`<td role="cell"`)
	if e == nil {
		s.markup("></td>")
		return
	}
	s.mark(e)
	s.markup(` data-label="`)
	s.text(e.Text)
	s.markup(`">`)
	s.signs(e)
	s.markup("</td>")
}

func (s *sheet) beforeAndAfter(row *row) {
	s.addresses(row.Addresses)
	s.markup("<p>")
	if row.Privacy.Differs() {
		s.markup("Kind of channel: ")
		s.change(row.Privacy)
	} else {
		s.value(row.Privacy.After)
	}
	s.markup("</p>")
	if like := row.Like; like != nil {
		s.markup(`<p class="like">The same as in <a href="#channel-`)
		s.number(like.Index)
		s.markup(`">`)
		s.name(like.Name)
		s.markup("</a>.</p>")
		return
	}
	s.markup(`<ul class="effects">`)
	for _, e := range row.Effects {
		s.markup("<li>")
		s.effect(e)
		s.markup("</li>")
	}
	s.markup("</ul>")
}

// later writes what is in a closed element. Where there is much of it a browser with a script makes elements of it when
// it is opened or printed, and not before; one without makes them at once.
func (s *sheet) later(much bool, write func()) {
	if much {
		s.markup("<noscript>")
	}
	write()
	if much {
		s.markup("</noscript>")
	}
}

// AccountTable is everybody who is named, with address and role.
func (p *page) AccountTable() template.HTML {
	return snippet(func(s *sheet) {
		s.later(len(p.Accounts) > manyRows, func() {
			s.markup(`<table class="plain accounts">`, "\n", `<caption class="sr">Accounts with address and role</caption>`, "\n")
			s.markup(`<thead><tr><th scope="col">Name</th><th scope="col">Address</th><th scope="col">Role before the plan</th></tr></thead>`, "\n<tbody>")
			for _, account := range p.Accounts {
				s.markup(`<tr><th scope="row">`)
				s.text(account.Name)
				s.markup("</th><td>")
				s.text(account.Address)
				s.markup("</td><td>")
				s.text(account.Role)
				if account.IsBot {
					s.markup(", bot")
				}
				if account.IsSelf {
					s.markup(", the account the provider uses")
				}
				s.markup("</td></tr>")
			}
			s.markup("</tbody>\n</table>")
		})
	})
}
