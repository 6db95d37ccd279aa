package review

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
)

// MaxMarkdown is how long a comment can be that GitHub takes, in characters. [WriteMarkdown] stays below it, counted in
// bytes.
const MaxMarkdown = 65536

// How much the Markdown names before it counts.
const (
	namedPeople   = 5
	namedChannels = 5
	namedRisks    = 20
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
	m.risks(r.Risks)
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

// risks lists them, those that say the same together.
func (m *markdown) risks(risks []Risk) {
	type same struct {
		Risk
		where []string
	}
	var all []*same
	known := map[Risk]*same{}
	for _, risk := range risks {
		key := Risk{Word: risk.Word, Text: risk.Text}
		if known[key] == nil {
			known[key] = &same{Risk: key}
			all = append(all, known[key])
		}
		known[key].where = append(known[key].where, plain(risk.Where))
	}
	if len(all) > 0 {
		m.line("")
	}
	for i, one := range all {
		line := fmt.Sprintf("- %#q: %s. %s", one.Word, some(one.where, namedChannels), plain(one.Text))
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

func (m *markdown) people(people []*Person) {
	var rows []cells
	for _, person := range people {
		what := inWords(person.Action)
		if person.Owner != nil {
			what = "owner " + values(person.Owner.Before) + " → " + values(person.Owner.After)
		}
		rows = append(rows, cells{accountWords(person.Account), what, values(person.Role.Before), values(person.Role.After)})
	}
	m.table("People", []string{"Account", "What happens", "Role before", "Role after"}, rows)
}

// channels writes those in which the same happens as one.
func (m *markdown) channels(channels []*Channel) {
	var rows []cells
	for i := 0; i < len(channels); {
		n := i + 1
		for n < len(channels) && channels[n].effects() == channels[i].effects() {
			n++
		}
		var names []string
		for _, channel := range channels[i:n] {
			names = append(names, channelWords(channel))
		}
		what := some(names, namedChannels)
		if action := inWords(channels[i].Action); action != "" && channels[i].Action != Update {
			what += " (" + action + ")"
		}
		if channels[i].Action == Archive {
			rows = append(rows, archived(what, channels[i]))
		} else {
			own := rightRows(channels[i].Rights, what)
			own = append(own, comings(what, len(own) == 0, channels[i].Joins, channels[i].Leaves, "be in the channel")...)
			if len(own) == 0 && channels[i].Action != Update {
				own = []cells{{what, "–", "–", "–", "–", "–"}}
			}
			rows = append(rows, own...)
		}
		i = n
	}
	m.table("Channels", []string{"Channel", "Who can", "Before", "After", "Gains", "Loses"}, rows)
}

// archived is the row of a channel in which nobody can do anything to messages any more.
func archived(what string, channel *Channel) cells {
	everybody := &People{}
	for _, right := range channel.Rights {
		if right.Lose.Len() > everybody.Len() {
			everybody = right.Lose
		}
	}
	return cells{what, "post, and change messages", values(channel.Privacy.Before), "archived", "–", peopleWords(everybody, false)}
}

func channelWords(channel *Channel) string {
	if channel.OldName != "" {
		return code(channel.Name) + " (was " + code(channel.OldName) + ")"
	}
	return code(channel.Name)
}

// comings are the rows of those who come and go; first tells whether they are the first about what they are about.
func comings(what string, first bool, joins, leaves *People, can string) []cells {
	if joins.Len()+leaves.Len() == 0 {
		return nil
	}
	if !first {
		what = ""
	}
	return []cells{{what, can, "–", "–", peopleWords(joins, false), peopleWords(leaves, false)}}
}

func (m *markdown) groups(groups []*Group) {
	var rows []cells
	for _, group := range groups {
		what := code(group.Name)
		if group.OldName != "" {
			what += " (was " + code(group.OldName) + ")"
		}
		if group.Action != Affects && group.Action != Update {
			what += " (" + inWords(group.Action) + ")"
		}
		var own []cells
		if group.Members.Differs() || group.Subgroups.Differs() || group.Joins.Len()+group.Leaves.Len() > 0 {
			own = append(own, cells{
				what, "be in the group", inGroup(group.Members.Before, group.Subgroups.Before), inGroup(group.Members.After, group.Subgroups.After),
				peopleWords(group.Joins, group.Unknown), peopleWords(group.Leaves, group.Unknown),
			})
			what = ""
		}
		own = append(own, rightRows(group.Rights, what)...)
		if len(own) == 0 && group.Action != Affects && group.Action != Update {
			own = []cells{{what, "–", "–", "–", "–", "–"}}
		}
		rows = append(rows, own...)
	}
	m.table("User groups", []string{"Group", "Who can", "Before", "After", "Gains", "Loses"}, rows)
}

func inGroup(members, subgroups Value) string {
	all := Value{Words: slices.Concat(subgroups.Words, members.Words), Unknown: members.Unknown || subgroups.Unknown}
	return values(all)
}

// rightRows are the rows of rights; what they are about is in the first. Rights whose values stay are one row where the
// same people gain and lose them.
func rightRows(rights []*Right, what string) []cells {
	type effect struct {
		gains, loses string
		same         *Right // tells apart those that are on their own
	}
	var rows []cells
	var can [][]string
	known := map[effect]int{}
	for _, right := range rights {
		key, own := effect{gains: gains(right), loses: loses(right)}, cells{what, "", "", "as before", gains(right), loses(right)}
		if right.Change.Differs() {
			key.same, own[3] = right, values(right.Change.After)
		}
		own[2] = values(right.Change.Before)
		if at, ok := known[key]; ok {
			can[at] = append(can[at], right.Text)
			rows[at][2] = "several"
			continue
		}
		known[key] = len(rows)
		rows, can = append(rows, own), append(can, []string{right.Text})
		what = ""
	}
	for i, row := range rows {
		row[1] = plain(permission.Together(can[i], len(can[i])))
	}
	return rows
}

func gains(right *Right) string {
	text := peopleWords(right.Gain, right.Unknown)
	if right.Internet == InternetGains {
		return "**anyone on the internet**, " + text
	}
	return text
}

func loses(right *Right) string {
	text := peopleWords(right.Lose, right.Unknown)
	switch {
	case right.NobodyLeft:
		return "**everybody**: " + text
	case right.Internet == InternetLoses:
		return "anyone on the internet, " + text
	}
	return text
}

// peopleWords names the people who are surprised most, and counts the others.
func peopleWords(people *People, unknown bool) string {
	switch {
	case unknown:
		return "not known yet"
	case people.Len() == 0:
		return "–"
	}
	var names []string
	for _, account := range people.Accounts[:min(people.Len(), namedPeople)] {
		names = append(names, accountWords(account))
	}
	if rest := people.Len() - len(names); rest > 0 {
		return strings.Join(names, ", ") + " and " + count(rest) + " more"
	}
	return strings.Join(names, ", ")
}

func accountWords(account *Account) string {
	text := code(account.Name)
	switch {
	case account.IsSelf:
		return text + " (the account the provider uses)"
	case account.Role == "guest":
		return text + " (guest)"
	case account.IsBot:
		return text + " (bot)"
	}
	return text
}

// values writes a value: every word of it as what it is.
func values(value Value) string {
	var texts []string
	for _, word := range value.Words {
		texts = append(texts, code(word))
	}
	text := some(texts, namedPeople)
	switch {
	case value.Unknown && text == "":
		return "not known yet"
	case value.Unknown:
		return text + " and what is not known yet"
	case text == "" && value.Words != nil:
		return "nobody"
	case text == "":
		return "–"
	}
	return text
}

// some lists texts, and counts those beyond a limit.
func some(texts []string, limit int) string {
	if len(texts) <= limit {
		return strings.Join(texts, ", ")
	}
	return strings.Join(texts[:limit], ", ") + " and " + count(len(texts)-limit) + " more"
}

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

// code writes a name so that it is a name and nothing else. In a code span nothing has a meaning but the backtick, and in
// a table the bar; a name with one of these is written in HTML, every sign by its number.
func code(name string) string {
	name = visible(name)
	if !strings.ContainsAny(name, "`|\\") && strings.TrimSpace(name) == name && name != "" {
		return "`" + name + "`"
	}
	var text strings.Builder
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			text.WriteRune(r)
		} else {
			fmt.Fprintf(&text, "&#%d;", r)
		}
	}
	return "<code>" + text.String() + "</code>"
}

// maxName is how much of a name is shown. The server's names are shorter.
const maxName = 200

// visible takes out of a name what is not seen or would turn the line around.
func visible(name string) string {
	shown := []rune(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Zs, r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, name))
	if len(shown) > maxName {
		return string(shown[:maxName]) + "…"
	}
	return string(shown)
}

// plain writes a sentence. A word in it with anything but letters and the signs that sentences end and begin with is
// written as code: it may be a name. So is one of digits and others, which may be the number of an issue or a commit.
func plain(sentence string) string {
	tokens := strings.Split(sentence, " ")
	for i, token := range tokens {
		word := strings.Trim(token, `.,;:()"'?!`)
		if strings.ContainsFunc(word, isOdd) || strings.ContainsFunc(word, unicode.IsDigit) && strings.ContainsFunc(word, isNoDigit) {
			at := strings.Index(token, word)
			tokens[i] = token[:at] + code(word) + token[at+len(word):]
		}
	}
	return strings.Join(tokens, " ")
}

func isNoDigit(r rune) bool { return !unicode.IsDigit(r) && r != ',' }

// isOdd reports whether a sign may mean something in Markdown, or to whoever looks for links and mentions.
func isOdd(r rune) bool {
	return !unicode.IsLetter(r) && r != ',' && r != '\'' && r != '’' && r != '–' && r != '-' && (r < '0' || r > '9')
}
