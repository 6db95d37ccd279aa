package markdown

import (
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/review/report"
)

func (d *document) people(people []*report.Person) {
	var rows []cells
	for _, person := range people {
		what := person.Action.Adjective()
		if person.Owner != nil {
			what = "owner " + valueText(person.Owner.Before) + " → " + valueText(person.Owner.After)
		}
		rows = append(rows, cells{accountText(person.Account), what, valueText(person.Role.Before), valueText(person.Role.After)})
	}
	d.table("People", []string{"Account", "What happens", "Role before", "Role after"}, rows)
}

// channels writes those in which the same happens as one.
func (d *document) channels(channels []*report.Channel) {
	var rows []cells
	for i := 0; i < len(channels); {
		n := i + 1
		for n < len(channels) && channels[n].HasEffectsOf(channels[i]) {
			n++
		}
		var names []string
		for _, channel := range channels[i:n] {
			names = append(names, channelText(channel))
		}
		what := report.List(names)
		if action := channels[i].Action.Adjective(); action != "" && channels[i].Action != report.Update {
			what += " (" + action + ")"
		}
		if channels[i].Action == report.Archive {
			rows = append(rows, archivedRow(what, channels[i]))
		} else {
			own := rightRows(channels[i].Rights, what)
			own = append(own, membershipRow(what, len(own) == 0, channels[i].Joins, channels[i].Leaves, "be in the channel")...)
			if len(own) == 0 && channels[i].Action != report.Update {
				own = []cells{{what, "–", "–", "–", "–", "–"}}
			}
			rows = append(rows, own...)
		}
		i = n
	}
	d.table("Channels", []string{"Channel", "Who can", "Before", "After", "Gains", "Loses"}, rows)
}

// archivedRow is the row of a channel in which nobody can do anything to messages any more.
func archivedRow(what string, channel *report.Channel) cells {
	everybody := &report.People{}
	for _, right := range channel.Rights {
		if right.Lose.Len() > everybody.Len() {
			everybody = right.Lose
		}
	}
	return cells{what, "post, and change messages", valueText(channel.Privacy.Before), "archived", "–", peopleText(everybody, false)}
}

func channelText(channel *report.Channel) string {
	if channel.OldName != "" {
		return code(channel.Name) + " (was " + code(channel.OldName) + ")"
	}
	return code(channel.Name)
}

// membershipRow is the row, if any, of those who come and go; first tells whether they are the first about what they are about.
func membershipRow(what string, first bool, joins, leaves *report.People, can string) []cells {
	if joins.Len()+leaves.Len() == 0 {
		return nil
	}
	if !first {
		what = ""
	}
	return []cells{{what, can, "–", "–", peopleText(joins, false), peopleText(leaves, false)}}
}

func (d *document) groups(groups []*report.Group) {
	var rows []cells
	for _, group := range groups {
		what := code(group.Name)
		if group.OldName != "" {
			what += " (was " + code(group.OldName) + ")"
		}
		if group.Action != report.Affects && group.Action != report.Update {
			what += " (" + group.Action.Adjective() + ")"
		}
		var own []cells
		if group.Members.Differs() || group.Subgroups.Differs() || group.Joins.Len()+group.Leaves.Len() > 0 {
			own = append(own, cells{
				what, "be in the group", contents(group.Members.Before, group.Subgroups.Before), contents(group.Members.After, group.Subgroups.After),
				peopleText(group.Joins, group.Unknown), peopleText(group.Leaves, group.Unknown),
			})
			what = ""
		}
		own = append(own, rightRows(group.Rights, what)...)
		if len(own) == 0 && group.Action != report.Affects && group.Action != report.Update {
			own = []cells{{what, "–", "–", "–", "–", "–"}}
		}
		rows = append(rows, own...)
	}
	d.table("User groups", []string{"Group", "Who can", "Before", "After", "Gains", "Loses"}, rows)
}

func contents(members, subgroups report.Value) string {
	all := report.Value{Texts: slices.Concat(subgroups.Texts, members.Texts), Unknown: members.Unknown || subgroups.Unknown}
	return valueText(all)
}

// rightRows are the rows of rights; what they are about is in the first. Rights whose values stay are one row where the
// same people gain and lose them.
func rightRows(rights []*report.Right, what string) []cells {
	type effect struct {
		gains, loses string
		same         *report.Right // tells apart those that are on their own
	}
	var rows []cells
	var can [][]string
	known := map[effect]int{}
	for _, right := range rights {
		key, own := effect{gains: gainText(right), loses: loseText(right)}, cells{what, "", "", "as before", gainText(right), loseText(right)}
		if right.Change.Differs() {
			key.same, own[3] = right, valueText(right.Change.After)
		}
		own[2] = valueText(right.Change.Before)
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
		row[1] = plain(permission.JoinRights(can[i], len(can[i])))
	}
	return rows
}

func gainText(right *report.Right) string {
	text := peopleText(right.Gain, right.Unknown)
	if right.Internet == report.InternetGains {
		return "**anyone on the internet**, " + text
	}
	return text
}

func loseText(right *report.Right) string {
	text := peopleText(right.Lose, right.Unknown)
	switch {
	case right.NobodyLeft:
		return "**everybody**: " + text
	case right.Internet == report.InternetLoses:
		return "anyone on the internet, " + text
	}
	return text
}

// peopleText names the people who are surprised most, and counts the others.
func peopleText(people *report.People, unknown bool) string {
	switch {
	case unknown:
		return "not known yet"
	case people.Len() == 0:
		return "–"
	}
	var names []string
	for _, account := range people.Accounts[:min(people.Len(), report.MaxListed)] {
		names = append(names, accountText(account))
	}
	return report.ListOf(names, people.Len())
}

func accountText(account *report.Account) string {
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

// valueText writes a value: every text in it as code.
func valueText(value report.Value) string {
	var texts []string
	for _, text := range value.Texts {
		texts = append(texts, code(text))
	}
	text := report.List(texts)
	switch {
	case value.Unknown && text == "":
		return "not known yet"
	case value.Unknown:
		return text + " and what is not known yet"
	case text == "" && value.Texts != nil:
		return "nobody"
	case text == "":
		return "–"
	}
	return text
}
