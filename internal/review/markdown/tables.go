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

// channels writes those in which the same happens as one: a row for each change, and below what follows from them.
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
		what := d.list(names)
		if action := channels[i].Action.Adjective(); action != "" && channels[i].Action != report.Update {
			what += " (" + action + ")"
		}
		if channels[i].Action == report.Archive {
			rows = append(rows, d.archivedRow(what, channels[i]))
		} else {
			rows = append(rows, d.effects(what, channels[i].Action, channels[i].Rights, d.members("be in the channel", channels[i].Joins, channels[i].Leaves, false)...)...)
		}
		i = n
	}
	d.table("Channels", []string{"Channel", "What changes", "Gains", "Loses"}, rows)
}

// archivedRow is the row of a channel in which nobody can do anything to messages any more.
func (d *document) archivedRow(what string, channel *report.Channel) cells {
	everybody := &report.People{}
	for _, right := range channel.Rights {
		if right.Lose.Len() > everybody.Len() {
			everybody = right.Lose
		}
	}
	return cells{what, "post, and change messages: " + valueText(channel.Privacy.Before) + " → archived", "–", d.peopleText(everybody, false)}
}

func channelText(channel *report.Channel) string {
	if channel.OldName != "" {
		return code(channel.Name) + " (was " + code(channel.OldName) + ")"
	}
	return code(channel.Name)
}

// members is the row, if any, of those who come and go.
func (d *document) members(can string, joins, leaves *report.People, unknown bool) []cells {
	if joins.Len()+leaves.Len() == 0 {
		return nil
	}
	return []cells{{"", can, d.peopleText(joins, unknown), d.peopleText(leaves, unknown)}}
}

// effects are the rows about one thing: one for each value that changes, with the rights that the same people gain and lose by
// it, and more. What follows from them for others is kept for the end; where nothing of the thing itself changes, the first of
// that stands for it.
func (d *document) effects(what string, action report.Action, rights []*report.Right, more ...cells) []cells {
	rows, follow := d.rightRows(rights)
	rows = append(rows, more...)
	if len(rows) == 0 && len(follow) > 0 {
		rows, follow = follow[:1], follow[1:]
	}
	if len(rows) == 0 && action != report.Affects && action != report.Update {
		rows = []cells{{"", "–", "–", "–"}}
	}
	if len(rows) > 0 {
		rows[0][0] = what
	}
	for i, row := range follow {
		if row[0] = ""; i == 0 {
			row[0] = what
		}
		d.follows = append(d.follows, row)
	}
	return rows
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
		members := d.members("be in the group", group.Joins, group.Leaves, group.Unknown)
		if group.Members.Differs() || group.Subgroups.Differs() {
			members = []cells{{
				"", "be in the group: " + contents(group.Members.Before, group.Subgroups.Before) + " → " + contents(group.Members.After, group.Subgroups.After),
				d.peopleText(group.Joins, group.Unknown), d.peopleText(group.Leaves, group.Unknown),
			}}
		}
		rows = append(rows, d.effects(what, group.Action, group.Rights, members...)...)
	}
	d.table("User groups", []string{"Group", "What changes", "Gains", "Loses"}, rows)
}

func contents(members, subgroups report.Value) string {
	all := report.Value{Texts: slices.Concat(subgroups.Texts, members.Texts), Unknown: members.Unknown || subgroups.Unknown}
	return valueText(all)
}

// rightRows are the rows of the rights whose value changes, and of those of which it stays: these follow from something else.
// Rights that the same people gain and lose by the same change are in one row.
func (d *document) rightRows(rights []*report.Right) (changes, follow []cells) {
	type effect struct{ change, gains, loses string }
	var can, canFollow [][]string
	known := map[effect]int{}
	byPeople := map[effect]int{} // the first change by which some people gain and lose
	for _, right := range rights {
		if !right.Change.Differs() {
			continue
		}
		key := effect{transition(right.Change), d.gainText(right), d.loseText(right)}
		if at, ok := known[key]; ok {
			can[at] = append(can[at], right.Text)
			continue
		}
		known[key] = len(changes)
		if people := (effect{"", key.gains, key.loses}); right.Gain.Len()+right.Lose.Len() > 0 {
			if _, ok := byPeople[people]; !ok {
				byPeople[people] = len(changes)
			}
		}
		changes, can = append(changes, cells{"", key.change, key.gains, key.loses}), append(can, []string{right.Text})
	}
	followKnown := map[effect]int{}
	for _, right := range rights {
		if right.Change.Differs() {
			continue
		}
		people := effect{"", d.gainText(right), d.loseText(right)}
		if at, ok := byPeople[people]; ok {
			can[at] = append(can[at], right.Text)
			continue
		}
		key := effect{right.FollowsFrom, people.gains, people.loses}
		if at, ok := followKnown[key]; ok {
			canFollow[at] = append(canFollow[at], right.Text)
			continue
		}
		followKnown[key] = len(follow)
		by := ", unchanged"
		if right.FollowsFrom != "" {
			by = ", by " + plain(right.FollowsFrom)
		}
		follow, canFollow = append(follow, cells{"", by, key.gains, key.loses}), append(canFollow, []string{right.Text})
	}
	for i, row := range changes {
		row[1] = plain(permission.JoinRights(can[i], len(can[i]))) + ": " + row[1]
	}
	for i, row := range follow {
		row[1] = plain(permission.JoinRights(canFollow[i], len(canFollow[i]))) + row[1]
	}
	return changes, follow
}

// transition writes a value before and after; of something new there is none before.
func transition(change report.Change) string {
	if change.Before.Texts == nil && !change.Before.Unknown {
		return valueText(change.After)
	}
	return valueText(change.Before) + " → " + valueText(change.After)
}

func (d *document) gainText(right *report.Right) string {
	text := d.peopleText(right.Gain, right.Unknown)
	if right.Internet == report.InternetGains {
		return "**anyone on the internet**, " + text
	}
	return text
}

func (d *document) loseText(right *report.Right) string {
	text := d.peopleText(right.Lose, right.Unknown)
	switch {
	case right.NobodyLeft:
		return "**everybody**: " + text
	case right.Internet == report.InternetLoses:
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
	return d.list(names(people))
}

// brief is peopleText where no list at the end has the others.
func brief(people *report.People) string {
	if people.Len() == 0 {
		return "–"
	}
	return report.List(names(people))
}

// names are the names of people, and then those of bots.
func names(people *report.People) (texts []string) {
	for _, isBot := range []bool{false, true} {
		for _, account := range people.Accounts {
			if account.IsBot == isBot {
				texts = append(texts, accountText(account))
			}
		}
	}
	return texts
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
