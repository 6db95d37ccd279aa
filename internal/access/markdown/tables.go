package markdown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
)

func (d *document) people(people []*report.Person) {
	var rows []cells
	for _, person := range people {
		what := person.Action.Adjective()
		if owner := person.Owner; owner != nil {
			if what += ", owner " + transition(*owner); person.Action == report.Update {
				what = "owner " + transition(*owner)
			}
		}
		rows = append(rows, cells{accountText(person.Account), what, valueText(person.Role.Before), valueText(person.Role.After)})
	}
	d.table("People", []string{"Account", "Change", "Role before", "Role after"}, d.together(rows))
}

// together combines rows that differ only in the object, which is the first cell.
func (d *document) together(rows []cells) (all []cells) {
	names, places := map[string][]string{}, map[string]int{}
	for _, row := range rows {
		key := line(row[1:])
		if _, known := places[key]; !known {
			places[key] = len(all)
			all = append(all, slices.Clone(row))
		}
		names[key] = append(names[key], row[0])
	}
	for key, place := range places {
		all[place][0] = d.list(names[key])
	}
	return all
}

// consequences writes the consequences of one change, one for all objects with the same.
func (d *document) consequences(blocks []*report.Block) (rows []cells) {
	type group struct {
		names []string
		rows  []*report.Row
	}
	var groups []*group
	known := map[string]*group{}
	for _, block := range blocks {
		var key strings.Builder
		for _, row := range block.Follows {
			fmt.Fprintf(&key, "%q %p %p %s %t %t\n", row.What(), row.Gain, row.Lose, row.Internet, row.NoOneLeft, row.Unknown)
		}
		one := known[key.String()]
		if one == nil {
			one = &group{rows: block.Follows}
			known[key.String()], groups = one, append(groups, one)
		}
		for _, name := range blockNames(block) {
			if block.Group != nil {
				name = "user group " + name
			}
			one.names = append(one.names, name)
		}
	}
	for _, one := range groups {
		rows = append(rows, d.rows(d.list(one.names), one.rows)...)
	}
	return rows
}

// blocks writes a table of changes.
func (d *document) blocks(title, column string, blocks []*report.Block) {
	var rows []cells
	for _, block := range blocks {
		if len(block.Rows) > 0 {
			rows = append(rows, d.rows(d.list(blockNames(block)), block.Rows)...)
		}
	}
	d.table(title, []string{column, "Change", "Gains", "Loses"}, rows)
}

func (d *document) rows(what string, rows []*report.Row) (all []cells) {
	for _, row := range rows {
		text := plain(row.What())
		if row.Change.Differs() {
			text += ": " + transition(row.Change)
		}
		all = append(all, cells{what, text, d.gainText(row.PermissionChange), d.loseText(row.PermissionChange)})
		what = ""
	}
	return all
}

// blockNames are the objects of a block.
func blockNames(block *report.Block) (names []string) {
	switch {
	case block.Group != nil:
		names = []string{nameText(block.Group.Name, block.Group.OldName)}
	case len(block.Channels) == 0:
		return []string{"the organization"}
	}
	for _, channel := range block.Channels {
		names = append(names, nameText(channel.Name, channel.OldName))
	}
	if block.Action != report.Affects && block.Action != report.Update {
		for i := range names {
			names[i] += " (" + block.Action.Adjective() + ")"
		}
	}
	return names
}

func nameText(name, oldName string) string {
	if oldName != "" {
		return code(name) + " (was " + code(oldName) + ")"
	}
	return code(name)
}

// transition writes a value before and after; a new object has none before. It writes the difference of long lists.
func transition(change report.Change) string {
	was, is := change.Before.Values, change.After.Values
	switch {
	case change.Before.IsNone():
		return valueText(change.After)
	case len(was) > 0 && max(len(was), len(is)) > report.MaxListed && !change.Before.Unknown && !change.After.Unknown:
		var parts []string
		for _, part := range []struct {
			sign string
			only []string
		}{{"− ", sets.Without(was, is)}, {"+ ", sets.Without(is, was)}} {
			if len(part.only) > 0 {
				parts = append(parts, part.sign+valueText(report.Value{Values: part.only}))
			}
		}
		return fmt.Sprintf("%s (%s before, %s after)", strings.Join(parts, ", "), report.Count(len(was)), report.Count(len(is)))
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
	var texts []string
	for _, text := range value.Values {
		texts = append(texts, code(text))
	}
	text := report.List(texts)
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
