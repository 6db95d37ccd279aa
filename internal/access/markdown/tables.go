package markdown

import (
	"fmt"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
)

// row is a row of a table of changes.
type row struct {
	// cause is the change of which it is a consequence, if any.
	cause       string
	where, what []string
	gain, lose  string
	// effect is equal for rows with the same people, and empty without any.
	effect string
	// isMembership is true if people become or stop being members or subscribers.
	isMembership bool
}

// changes are the rows of the table of all changes. An account with a risk needs no row if all risks are listed.
func (d *document) changes(people []*report.Person, hasAllRisks bool, blocks []*report.Block) []cells {
	var rows []*row
	for _, person := range people {
		what := person.Action.Adjective()
		if person.Role.Differs() {
			what = strings.TrimPrefix(what+", role ", "changed, ") + transition(person.Role)
		}
		if person.Owner != nil {
			what = strings.TrimPrefix(what+", owner ", "changed, ") + transition(*person.Owner)
		}
		if !hasAllRisks || !person.IsRisk || person.Owner != nil {
			rows = append(rows, &row{where: []string{accountText(person.Account)}, what: []string{what}, gain: "–", lose: "–"})
		}
	}
	for _, block := range blocks {
		rows = append(rows, d.rows(block, block.Rows)...)
	}
	return d.cells(rows)
}

// consequences writes the consequences, and the lists that are too long for their place.
func (d *document) consequences(all []*report.Consequence) {
	var rows []*row
	for _, one := range all {
		for _, block := range one.Blocks {
			for _, row := range d.rows(block, block.Follows) {
				row.cause = plain(one.Of)
				rows = append(rows, row)
			}
		}
	}
	lines := lists.Map(d.cells(rows), line)
	var titles, head []string
	if len(lines) > 0 {
		titles, head = []string{"Consequences: " + report.Counted(len(lines), "row")}, tableHead([]string{"Because of", "Where", "Change", "Gains", "Loses"})
	}
	if len(d.lists) > 0 {
		titles = append(titles, "All names: "+report.Counted(len(d.lists), "list"))
	}
	for i, list := range d.lists {
		text := fmt.Sprintf("%d. %s", i+1, list)
		if i == 0 && len(lines) > 0 {
			text = "\n" + text
		}
		if len(text) < (d.limit-d.text.Len())/2 { // one list can't take the place of the others
			lines = append(lines, text)
		} else {
			d.left++
		}
	}
	d.closed(strings.Join(titles, " · "), head, lines)
}

// rows are the rows of a block.
func (d *document) rows(block *report.Block, rows []*report.Row) (all []*row) {
	for _, one := range rows {
		text := plain(one.What())
		if one.Change.Differs() {
			text += ": " + transition(one.Change)
		}
		row := &row{where: blockNames(block), what: []string{text}, gain: d.gainText(one.PermissionChange), isMembership: one.Name == ""}
		if row.lose = brief(one.Lose); block.Action != report.Archive { // in an archived channel, no one can
			row.lose = d.loseText(one.PermissionChange)
		}
		if one.Gain.Len()+one.Lose.Len() > 0 {
			row.effect = fmt.Sprintf("%p %p %s %t %t", one.Gain, one.Lose, one.Internet, one.NoOneLeft, one.Unknown)
		}
		all = append(all, row)
	}
	return all
}

// cells writes rows: one for all objects with the same change, one for all changes of an object with the same people, and
// one for all objects of which the same people become or stop being members.
func (d *document) cells(rows []*row) (all []cells) {
	rows = merged(rows, func(row *row) string {
		return fmt.Sprintf("%q %q %s %s %s", row.cause, row.what, row.effect, row.gain, row.lose)
	}, func(row, other *row) { row.where = append(row.where, other.where...) })
	rows = merged(rows, func(row *row) string {
		return fmt.Sprintf("%q %q %s %s %s", row.cause, row.where, row.effect, row.gain, row.lose)
	}, func(row, other *row) {
		row.what, row.isMembership = append(row.what, other.what...), row.isMembership && other.isMembership
	})
	for _, row := range rows {
		row.where = []string{d.list(row.where)}
	}
	rows = merged(rows, func(row *row) string {
		if !row.isMembership || row.effect == "" {
			return ""
		}
		return row.effect
	}, func(row, other *row) {
		row.where, row.what = append(row.where, other.where...), append(row.what, other.what...)
	})
	cause := ""
	for _, row := range rows {
		cells := cells{strings.Join(row.where, "; "), strings.Join(row.what, "; "), row.gain, row.lose}
		if row.cause != "" {
			text := row.cause
			if text == cause {
				text = ""
			}
			cells, cause = append([]string{text}, cells...), row.cause
		}
		all = append(all, cells)
	}
	return all
}

// merged merges each row into the first with the same key, if it has a key.
func merged[T any](rows []*T, key func(*T) string, merge func(row, other *T)) (all []*T) {
	known := map[string]*T{}
	for _, row := range rows {
		k := key(row)
		if first := known[k]; first != nil && k != "" {
			merge(first, row)
			continue
		}
		known[k], all = row, append(all, row)
	}
	return all
}

// blockNames are the objects of a block.
func blockNames(block *report.Block) (names []string) {
	switch {
	case block.Group != nil:
		names = []string{"group " + nameText("", block.Group.Name, block.Group.OldName)}
	case len(block.Channels) == 0:
		return []string{"the organization"}
	}
	for _, channel := range block.Channels {
		names = append(names, nameText("#", channel.Name, channel.OldName))
	}
	if block.Action != report.Affects && block.Action != report.Update {
		for i := range names {
			names[i] += " (" + block.Action.Adjective() + ")"
		}
	}
	return names
}

func nameText(sign, name, oldName string) string {
	if oldName != "" {
		return code(sign+name) + " (was " + code(sign+oldName) + ")"
	}
	return code(sign + name)
}

// transition writes a value before and after; a new object has none before. It writes the difference of long lists.
func transition(change report.Change) string {
	if difference := change.Difference(); difference != nil {
		var parts []string
		if len(difference.Removed.Values) > 0 {
			parts = append(parts, "− "+valueText(difference.Removed))
		}
		if len(difference.Added.Values) > 0 {
			parts = append(parts, "+ "+valueText(difference.Added))
		}
		return fmt.Sprintf("%s (%s before, %s after)", strings.Join(parts, ", "), report.Count(difference.Before), report.Count(difference.After))
	}
	if change.Before.IsNone() {
		return valueText(change.After)
	}
	return valueText(change.Before) + " → " + valueText(change.After)
}

func (d *document) gainText(permission *report.PermissionChange) string {
	text := d.peopleText(permission.Gain, permission.Unknown)
	if permission.Internet == report.InternetGains {
		return "**anyone on the internet**, " + text
	}
	return text
}

func (d *document) loseText(permission *report.PermissionChange) string {
	text := d.peopleText(permission.Lose, permission.Unknown)
	switch {
	case permission.NoOneLeft && permission.Lose.Len() == 0 && !permission.Unknown:
		return "**everyone**"
	case permission.NoOneLeft:
		return "**everyone**: " + text
	case permission.Internet == report.InternetLoses:
		return "anyone on the internet, " + text
	}
	return text
}

// peopleText names the first people, and counts the others.
func (d *document) peopleText(people *report.People, unknown bool) string {
	switch {
	case unknown:
		return "not known yet"
	case people.Len() == 0:
		return "–"
	}
	return d.list(names(people, people.Len()))
}

// brief is peopleText without a list of the others at the end.
func brief(people *report.People) string {
	if people.Len() == 0 {
		return "–"
	}
	return report.ListOf(names(people, report.MaxListed), people.Len())
}

// names are the names of people, followed by those of bots, up to a limit.
func names(people *report.People, most int) (texts []string) {
	for _, isBot := range []bool{false, true} {
		for account := range people.All() {
			if account.IsBot == isBot && len(texts) < most {
				texts = append(texts, accountText(account))
			}
		}
	}
	return texts
}

func accountText(account *report.Account) string {
	if about := account.About(); about != "" {
		return code(account.Name) + " (" + about + ")"
	}
	return code(account.Name)
}

// valueText writes a value: every text in it as code.
func valueText(value report.Value) string {
	text := report.List(lists.Map(value.Values, code))
	switch {
	case value.Unknown && text == "":
		return "not known yet"
	case value.Unknown:
		return text + " and values not known yet"
	case text == "" && value.Values != nil:
		return "nobody"
	case text == "":
		return "–"
	}
	return text
}
