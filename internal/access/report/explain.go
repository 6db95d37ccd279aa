package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// explain sets the cause of each effect whose permission has the same value. It sets none if the report doesn't have the cause.
func (r *Report) explain() {
	c := r.causes()
	for _, channel := range r.Channels {
		own := object{permissions: map[permission.ChannelPermission]*PermissionChange{}}
		for _, one := range channel.Permissions {
			own.permissions[permission.ChannelPermission(one.Name)] = one
		}
		if channel.Privacy.Differs() {
			own.privacy = &cause{text: "the channel's privacy", isOfAll: true}
		}
		if channel.Joins.Len()+channel.Leaves.Len() > 0 {
			own.subscriptions = &cause{text: "changed subscriptions", sets: c.idsOf(channel.Joins, channel.Leaves)}
		}
		switch channel.Action { //nolint:exhaustive // no other action has an effect of its own
		case Reactivate:
			own.whole = "the reactivation of the channel"
		case Archive:
			own.whole = "the archiving of the channel"
		}
		c.explainPermissions(channel.Permissions, own)
	}
	for _, group := range r.Groups {
		own := object{}
		if group.Action == Reactivate {
			own.whole = "the reactivation of the group"
		}
		c.explainPermissions(group.Permissions, own)
	}
	c.explainPermissions(r.Permissions, object{})
}

// cause is a change and the people who can gain or lose access because of it. Bots can do so because of their owners.
type cause struct {
	text string
	// sets are the IDs of the people.
	sets []map[int64]bool
	// isOfAll is true if these are everyone, and isUnknown if they aren't known yet.
	isOfAll, isUnknown bool
}

func (c *cause) explains(account *Account) bool {
	return c.isOfAll || slices.ContainsFunc(c.sets, func(set map[int64]bool) bool { return set[account.ID] || set[account.OwnerID] })
}

// object has the causes within one object. All but whole are for channels only.
type object struct {
	// whole is the cause of all effects for an object that is archived or reactivated; "" for others.
	whole string
	// permissions are the changed permissions, which can grant others.
	permissions            map[permission.ChannelPermission]*PermissionChange
	privacy, subscriptions *cause
}

// causes are the causes that can affect every object.
type causes struct {
	report *Report
	// changed are the groups of the report by the names that permissions have: those before, and those after the plan unless
	// another group had the name. groups caches the causes by these names.
	changed map[string]*Group
	groups  map[string]*cause
	// organization are the organization's permissions and settings that change, by name.
	organization map[string]*cause
	// people are the places in the report of the accounts that change, by ID. accounts has these IDs.
	people   map[int64]int
	accounts map[int64]bool
	ids      map[*People]map[int64]bool // a cache
	// everyAccount names all of them; "" without one.
	everyAccount string
}

func (r *Report) causes() *causes {
	c := &causes{
		report: r, changed: map[string]*Group{}, groups: map[string]*cause{}, organization: map[string]*cause{},
		people: map[int64]int{}, accounts: map[int64]bool{}, ids: map[*People]map[int64]bool{}, everyAccount: accountsText(r.People),
	}
	for i, person := range r.People {
		c.people[person.Account.ID], c.accounts[person.Account.ID] = i, true
	}
	for _, one := range r.Permissions {
		c.organization[one.Name] = &cause{text: "the organization's " + one.Name, sets: c.idsOf(one.Gain, one.Lose), isUnknown: one.Unknown}
	}
	addGroup := func(name string, group *Group) {
		if name != "" && c.changed[name] == nil && group.Action != Deactivate {
			c.changed[name] = group
		}
	}
	for _, group := range r.Groups {
		if group.ID != 0 {
			addGroup(cmp.Or(group.OldName, group.Name), group)
		}
	}
	for _, group := range r.Groups {
		addGroup(group.Name, group)
	}
	return c
}

// idsOf returns the IDs of the accounts in each set.
func (c *causes) idsOf(sets ...*People) (all []map[int64]bool) {
	for _, set := range sets {
		if c.ids[set] == nil {
			c.ids[set] = map[int64]bool{}
			for account := range set.All() {
				c.ids[set][account.ID] = true
			}
		}
		all = append(all, c.ids[set])
	}
	return all
}

func (c *causes) explainPermissions(permissions []*PermissionChange, own object) {
	for _, one := range permissions {
		switch {
		case one.Change.Differs():
		case own.whole != "":
			one.FollowsFrom = own.whole
		default:
			one.FollowsFrom = c.of(one, own)
		}
	}
}

// of returns the closest cause that explains everyone who gains or loses access. If none does, it returns two that each
// explain someone.
func (c *causes) of(one *PermissionChange, own object) string {
	everyone := slices.Concat(one.Gain.First(one.Gain.Len()), one.Lose.First(one.Lose.Len()))
	possible := c.possible(one, own, c.accountsOf(everyone))
	if len(everyone) == 0 || one.Internet != "" {
		return c.ofUnlisted(one, own, possible)
	}
	var some []string
	left := everyone
	for _, candidate := range possible {
		if !slices.ContainsFunc(everyone, func(account *Account) bool { return !candidate.explains(account) }) {
			return candidate.text
		}
		rest := slices.DeleteFunc(slices.Clone(left), candidate.explains)
		if len(rest) < len(left) {
			left, some = rest, append(some, candidate.text)
		}
	}
	return strings.Join(some[:min(len(some), 2)], " and ")
}

// ofUnlisted is of for people whom the permission doesn't list: people without an account, people who aren't known yet, and
// those whom the plan deactivates.
func (c *causes) ofUnlisted(one *PermissionChange, own object, possible []*cause) string {
	spectators, waiting := c.organization[SpectatorAccess], c.organization[WaitingPeriod]
	switch {
	case one.Internet != "" && own.privacy != nil:
		return own.privacy.text
	case one.Internet != "" && spectators != nil:
		return spectators.text
	case !one.Unknown:
		return c.everyAccount
	}
	at := slices.IndexFunc(possible, func(candidate *cause) bool { return candidate.isUnknown })
	if at < 0 {
		at = slices.IndexFunc(possible, func(candidate *cause) bool { return candidate != waiting })
	}
	if at < 0 {
		return ""
	}
	return possible[at].text
}

// possible returns the possible causes, the closest first. accounts is one of them; nil without one.
func (c *causes) possible(one *PermissionChange, own object, accounts *cause) []*cause {
	all := c.groupsIn(one)
	if own.permissions != nil {
		all = append(all, c.inChannel(one, own, accounts)...)
	}
	all = append(all, accounts, c.organization[WaitingPeriod])
	return slices.DeleteFunc(all, func(one *cause) bool { return one == nil })
}

// inChannel returns the possible causes of an effect in a channel, where a permission depends not only on its value.
func (c *causes) inChannel(one *PermissionChange, own object, accounts *cause) []*cause {
	name, all, groups := permission.ChannelPermission(one.Name), []*cause{own.subscriptions, accounts}, []*cause{}
	if name != permission.CanAdministerChannel {
		all = append(all, own.privacy)
	}
	for _, granting := range name.GrantedBy() {
		switch other := own.permissions[granting]; {
		case other == nil:
		case other.Change.Differs():
			all = append(all, &cause{text: other.Name, sets: c.idsOf(other.Gain, other.Lose), isUnknown: other.Unknown})
		default:
			groups = append(groups, c.groupsIn(other)...)
		}
	}
	all = append(all, c.organization[name.OrganizationPermission()])
	if name == permission.CanDeleteOwnMessage {
		all = append(all, c.organization[permission.CanDeleteAnyMessage.OrganizationPermission()])
	}
	return append(all, groups...)
}

// groupsIn returns the changes of the groups in the value of a permission.
func (c *causes) groupsIn(one *PermissionChange) (all []*cause) {
	for _, text := range one.Change.After.Values {
		if name, isGroup := strings.CutPrefix(text, groupPrefix); isGroup {
			all = append(all, c.group(name))
		}
	}
	return all
}

// groupPrefix begins the principal of a user group.
const groupPrefix = "group:"

// group returns the change of a group, which can be that of a subgroup; nil if the plan changes neither.
func (c *causes) group(name string) *cause {
	if known, isKnown := c.groups[name]; isKnown {
		return known
	}
	c.groups[name] = nil
	paths := map[string]string{name: c.principal(name)}
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		if group := c.changed[queue[0]]; group != nil && (group.Members.Differs() || group.Subgroups.Differs()) {
			found := &cause{text: paths[queue[0]], isUnknown: group.Unknown}
			if named := c.changed[name]; named != nil {
				found.sets = c.idsOf(named.Joins, named.Leaves)
			}
			c.groups[name] = found
			return found
		}
		for _, below := range c.report.Subgroups[queue[0]] {
			if _, seen := paths[below]; !seen {
				paths[below] = paths[queue[0]] + " > " + c.principal(below)
				queue = append(queue, below)
			}
		}
	}
	return nil
}

// principal returns the principal of a group with its name after the plan.
func (c *causes) principal(name string) string {
	if group := c.changed[name]; group != nil {
		name = group.Name
	}
	return groupPrefix + name
}

// accountsOf returns the changes of some accounts and of the owners of bots among them; nil without any.
func (c *causes) accountsOf(some []*Account) *cause {
	var places []int
	for _, account := range some {
		for _, id := range []int64{account.ID, account.OwnerID} {
			if place, changes := c.people[id]; changes {
				places = append(places, place)
			}
		}
	}
	slices.Sort(places)
	var people []*Person
	for _, place := range slices.Compact(places) {
		people = append(people, c.report.People[place])
	}
	text := accountsText(people)
	if text == "" {
		return nil
	}
	return &cause{text: text, sets: []map[int64]bool{c.accounts}}
}

// accountsText names the first account that is created or deactivated or whose role changes, and counts the others; "" without one.
func accountsText(people []*Person) string {
	first, others := "", 0
	for _, person := range people {
		switch {
		case person.Owner != nil && first == "":
			return "the owner of " + person.Account.Email
		case !person.Role.Differs():
		case first == "":
			first = person.Account.Email
		case person.Account.Email != first:
			others++
		}
	}
	switch {
	case first == "":
		return ""
	case others == 0:
		return "the role of " + first
	}
	return fmt.Sprintf("the roles of %s and %s", first, Counted(others, "other account"))
}
