package review

import (
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
)

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
		what := some(names)
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
		row[1] = plain(permission.JoinRights(can[i], len(can[i])))
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
	for _, account := range people.Accounts[:min(people.Len(), namedInPlace)] {
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
	text := some(texts)
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

// some lists texts, and counts those beyond [namedInPlace].
func some(texts []string) string {
	if len(texts) <= namedInPlace {
		return strings.Join(texts, ", ")
	}
	return strings.Join(texts[:namedInPlace], ", ") + " and " + count(len(texts)-namedInPlace) + " more"
}
