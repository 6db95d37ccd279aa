package access

import (
	"cmp"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// Compare adds to a report who gains and loses access in channels, over user groups and in the organization.
//
// It reports a new or deactivated account once, not for each permission that the account gains or loses.
func Compare(before, after *Organization, people *report.PeopleSets, said *report.Report) {
	c := &comparison{
		before: before, after: after, people: people,
		joined: after.People.Everybody().Minus(before.People.Everybody()), gone: before.People.Everybody().Minus(after.People.Everybody()),
	}
	c.made = c.joined
	for _, account := range after.Accounts {
		if account.ID < 0 {
			c.made = c.made.Or(after.People.People([]int64{account.ID}))
		}
	}
	if after.Names != nil {
		before.Effective, after.Effective = append(before.Effective, before.DescribePermissions(before.Names)...), append(after.Effective, after.DescribePermissions(before.Names)...)
	}
	for was, is := range pairs(before.Channels, after.Channels, func(channel *Channel) int64 { return channel.ID }) {
		if result := c.channel(was, is); result != nil {
			said.Channels = append(said.Channels, result)
		}
	}
	said.Channels = report.SortChannels(said.Channels)
	for was, is := range pairs(before.Accounts, after.Accounts, func(account *Account) int64 { return account.ID }) {
		if result := c.account(was, is); result != nil {
			said.People = append(said.People, result)
		}
	}
	for was, is := range pairs(before.Groups, after.Groups, func(group *Group) int64 { return group.ID }) {
		if result := c.group(was, is); result != nil {
			said.Groups = append(said.Groups, result)
		}
	}
	said.Groups = report.SortGroups(said.Groups)
	said.Permissions = append(said.Permissions, c.permissions(before.Effective, after.Effective, func(people *permission.Access, name string) permission.Held {
		return people.HeldBy(permission.Organizations, permission.Organizations.Setting(name), before.Permissions[name])
	}, nil)...)
}

// pairs returns the objects before and after, in the order of after, followed by the objects that exist only before.
func pairs[Thing any, Key comparable](before, after []*Thing, key func(*Thing) Key) func(yield func(was, is *Thing) bool) {
	return func(yield func(was, is *Thing) bool) {
		was, is := lists.By(before, key), lists.By(after, key)
		for _, thing := range after {
			if !yield(was[key(thing)], thing) {
				return
			}
		}
		for _, thing := range before {
			if is[key(thing)] == nil && !yield(thing, nil) {
				return
			}
		}
	}
}

// comparison compares two organizations.
type comparison struct {
	before, after *Organization
	people        *report.PeopleSets
	// joined are the accounts that exist only after, gone those that exist only before. made are those of joined, and those
	// that a plan creates, which both organizations have.
	joined, gone, made permission.People
}

// describeChannel computes who can do what in a channel. It returns false if that does not change.
func (c *comparison) describeChannel(was, is *Channel) bool {
	if was != nil {
		if len(is.Addresses) == 0 && (is.Facts.IsArchived || permission.Same(c.before.In(was), c.after.In(is))) {
			return false
		}
		c.before.DescribeChannel(was, c.before.Names)
	}
	c.after.DescribeChannel(is, c.before.Names)
	return true
}

// describeGroup computes the members of a group, and who can do what with it. It returns false for the group of a role, and
// for a group that is deactivated before and after. Members who stay keep their earlier names.
func (c *comparison) describeGroup(was, is *Group) bool {
	if is.IsSystemGroup || is.Deactivated && is.Action == report.Affects {
		return false
	}
	c.after.DescribeGroup(is, c.before.Names)
	if was != nil {
		c.before.DescribeGroup(was, c.before.Names)
		if slices.Equal(was.DirectSubgroupIDs, is.DirectSubgroupIDs) {
			is.SubgroupsText = was.SubgroupsText
		}
	}
	return true
}

// gainAndLose returns the people who are only in the set after, and those who are only in the set before.
func (c *comparison) gainAndLose(was, is permission.People) (gain, lose *report.People) {
	return c.people.Of(is.Minus(was).Minus(c.joined)), c.people.Of(was.Minus(is).Minus(c.gone))
}

// account compares an account before and after, and returns nil if nothing differs. An account that exists only after is
// new; one that exists only before is deactivated.
func (c *comparison) account(was, is *Account) *report.Person {
	isNew := was == nil
	if isNew {
		was = new(Account)
	}
	if is == nil {
		is = &Account{User: was.User}
		is.IsActive = false
	}
	role, owner := report.Change{Before: was.RoleText, After: is.RoleText}, report.Change{Before: was.OwnerText, After: is.OwnerText}
	of, isJoined := &was.User, !was.IsActive && is.IsActive
	if isJoined {
		of = &is.User
	}
	account := c.people.Account(of)
	person := &report.Person{Account: account, AccountID: account.ID, Resources: append([]string{}, is.Addresses...), Action: report.Update, Role: role}
	if isJoined && !is.OwnerText.IsNone() || !isJoined && owner.Differs() {
		person.Owner, person.IsOwnedByGuest = &owner, is.BotOwnerID != nil && !is.OwnerText.Unknown && c.after.People.Guests().Has(*is.BotOwnerID)
	}
	switch {
	case is.Action != report.Affects:
		person.Action = is.Action
	case isJoined && isNew:
		person.Action = report.Create
	case isJoined:
		person.Action = report.Reactivate
	case was.IsActive && !is.IsActive:
		person.Action, person.LosesEverything, person.Role.After, person.Owner = report.Deactivate, true, report.Value{}, nil
	case !role.Differs() && person.Owner == nil:
		return nil
	}
	return person
}

// channel compares a channel before and after, and returns nil if nothing differs. A channel that exists only after is new;
// one that exists only before is archived.
func (c *comparison) channel(was, is *Channel) *report.Channel {
	if c.after.Names != nil && !c.describeChannel(was, is) {
		return nil
	}
	isNew := was == nil
	switch {
	case isNew:
		was = &Channel{Subscribers: &permission.People{}, Internet: new(bool)}
	case is == nil:
		is = was.archived()
	}
	result := &report.Channel{
		ID: max(is.ID, 0), Name: is.Name, Action: is.Action, Resources: append([]string{}, is.Addresses...),
		Privacy: report.Change{Before: was.Privacy, After: is.Privacy}, Joins: c.people.Nobody(), Leaves: c.people.Nobody(),
	}
	switch {
	case result.Action == report.Affects && isNew:
		result.Action = report.Create
	case result.Action == report.Affects && was.Facts.IsArchived && !is.Facts.IsArchived:
		result.Action = report.Reactivate
	case result.Action == report.Affects && !was.Facts.IsArchived && is.Facts.IsArchived:
		result.Action = report.Archive
	}
	if was.Name != is.Name {
		result.OldName = was.Name
	}
	if was.Subscribers != nil && is.Subscribers != nil {
		result.Joins, result.Leaves = c.gainAndLose(*was.Subscribers, *is.Subscribers)
	}
	result.Joiners = c.joiners(was, is)
	result.Permissions = c.channelPermissions(was, is, result.Privacy)
	if result.Action == report.Affects && len(result.Resources)+len(result.Permissions)+result.Joins.Len()+result.Leaves.Len() == 0 && !result.Privacy.Differs() && result.OldName == "" {
		return nil
	}
	return result
}

// joiners returns [report.Channel.Joiners]. If the history is protected, people who can join can't read before they do.
func (c *comparison) joiners(was, is *Channel) *report.People {
	can := func(channel *Channel, name permission.ChannelPermission) (held permission.Held) {
		for _, one := range channel.Effective {
			if one.Name == string(name) {
				held = one.Held
			}
		}
		return held
	}
	join := can(was, permission.CanSubscribe).To(can(is, permission.CanSubscribe)).Gain.Minus(c.joined)
	for _, channel := range []*Channel{was, is} {
		reads, _ := can(channel, permission.CanRead).Certain()
		join = join.Minus(reads)
	}
	return c.people.Of(join)
}

// archived is the channel after it is archived: no one can do anything with its messages.
func (c *Channel) archived() *Channel {
	later := *c
	later.Facts.IsArchived = true
	later.Effective = lists.Map(c.Effective, func(one *EffectivePermission) *EffectivePermission {
		none := *one
		if permission.ChannelPermission(one.Name).IsOfMessages() {
			none.Held = permission.Held{}
		}
		return &none
	})
	return &later
}

func (c *comparison) channelPermissions(was, is *Channel, privacy report.Change) []*report.PermissionChange {
	internet := ""
	switch {
	case was.Internet == nil || is.Internet == nil || *was.Internet == *is.Internet:
	case *is.Internet:
		internet = report.InternetGains
	default:
		internet = report.InternetLoses
	}
	held := func(channel *Channel) heldWith {
		all := map[*permission.Access]map[permission.ChannelPermission]permission.Held{}
		return func(people *permission.Access, name string) permission.Held {
			if all[people] == nil {
				all[people] = permission.ChannelState{Access: people, Channel: channel.Facts}.Held()
			}
			return all[people][permission.ChannelPermission(name)]
		}
	}
	results := c.permissions(was.Effective, is.Effective, held(was), held(is))
	for _, one := range results {
		one.LocksOut = one.Name == string(permission.CanAdministerChannel) && one.Lose.Some(isSelf)
		if one.Name == string(permission.CanRead) {
			one.Internet, internet = internet, ""
		}
	}
	if internet != "" {
		results = append(results, &report.PermissionChange{
			Name: string(permission.CanRead), Text: permission.CanRead.InWords(), Change: privacy, Gain: c.people.Nobody(), Lose: c.people.Nobody(), Internet: internet,
		})
	}
	return results
}

func isSelf(account *report.Account) bool { return account.IsSelf }

// group compares a user group before and after, and returns nil if nothing differs. A group that exists only after is new;
// one that exists only before is deactivated.
func (c *comparison) group(was, is *Group) *report.Group {
	if c.after.Names != nil && !c.describeGroup(was, is) {
		return nil
	}
	isNew := was == nil
	switch {
	case isNew:
		was = &Group{}
	case is == nil:
		is = &Group{UserGroup: was.UserGroup, Touched: Touched{Action: report.Deactivate}}
	}
	result := &report.Group{ID: max(is.ID, 0), Name: is.Name, Action: is.Action, Resources: append([]string{}, is.Addresses...), Unknown: is.MembersUnknown, Permissions: []*report.PermissionChange{}}
	if is.Action == report.Deactivate {
		result.Joins, result.Leaves = c.gainAndLose(was.People, permission.People{})
		return result
	}
	result.Joins, result.Leaves = c.gainAndLose(was.People, is.People)
	if isNew && result.Action == report.Affects {
		result.Action = report.Create
	}
	if was.Name != is.Name {
		result.OldName = was.Name
	}
	members, subgroups := report.Change{Before: was.MembersText, After: is.MembersText}, report.Change{Before: was.SubgroupsText, After: is.SubgroupsText}
	if members.Differs() || subgroups.Differs() {
		result.Members, result.Subgroups = members, subgroups
	}
	held := func(group *Group) heldWith {
		return func(people *permission.Access, name string) permission.Held {
			return people.HeldInGroup(name, group.Permissions)
		}
	}
	result.Permissions = c.permissions(was.Effective, is.Effective, held(was), held(is))
	for _, permission := range result.Permissions {
		permission.LocksOut = permission.Name == canManageGroup && permission.Lose.Some(isSelf)
	}
	if result.Action == report.Affects && len(result.Resources)+len(result.Permissions)+result.Joins.Len()+result.Leaves.Len() == 0 && !members.Differs() && !subgroups.Differs() && result.OldName == "" {
		return nil
	}
	return result
}

// canManageGroup is the permission to manage a user group.
const canManageGroup = "can_manage_group"

// heldWith returns who has a permission of an object with other people in the organization.
type heldWith func(people *permission.Access, name string) permission.Held

// permissions compares the permissions of one object, in the order of after. A permission may be on one side only: the
// server did not have it, or no one in a narrowed audit has it. held and later are the object before and after; the
// organization's permissions have no other attributes, so that later is nil.
func (c *comparison) permissions(before, after []*EffectivePermission, held, later heldWith) []*report.PermissionChange {
	results := []*report.PermissionChange{}
	var reading permission.Effect
	for was, is := range pairs(before, after, func(permission *EffectivePermission) string { return permission.Name }) {
		of := is
		if was == nil {
			was = &EffectivePermission{}
		}
		if is == nil {
			is, of = &EffectivePermission{}, was
		}
		effect := was.Held.To(is.Held)
		switch permission.ChannelPermission(of.Name) {
		case permission.CanRead:
			reading = effect
		case permission.CanReadHistory:
			if effect = effect.OfHistory(reading); !effect.Differs() {
				continue
			}
		}
		if result := c.permission(was, is, effect); result != nil {
			if result.Name, result.Text = of.Name, of.Text; !result.Change.Differs() && result.Internet == "" {
				c.follow(result, effect, held, later)
			}
			results = append(results, result)
		}
	}
	return results
}

// permission compares a permission before and after, and returns nil if nothing differs.
func (c *comparison) permission(was, is *EffectivePermission, effect permission.Effect) *report.PermissionChange {
	change := report.Change{Before: was.Value, After: is.Value}
	gain, lose := effect.Gain.Minus(c.joined), effect.Lose.Minus(c.gone)
	if holders, _ := is.Held.Certain(); change.Differs() && !effect.Unknown { // the new value gives access to new accounts
		gain, lose = gain.Or(c.made.And(holders)), lose.Minus(c.made)
	}
	result := &report.PermissionChange{
		Change: change, Gain: c.people.Of(gain), Lose: c.people.Of(lose), NoOneLeft: effect.NobodyLeft, Unknown: effect.Unknown,
	}
	if result.Unknown {
		result.Why = cmp.Or(is.Why, was.Why)
	}
	if !result.Change.Differs() && !effect.Unknown && !effect.NobodyLeft && gain.IsEmpty() && lose.IsEmpty() {
		return nil
	}
	return result
}

// follow says which change has an effect alone: another change of the same object, or a cause. If several causes have the
// effect together, each for some people, the parts of the result have one each.
func (c *comparison) follow(result *report.PermissionChange, effect permission.Effect, held, later heldWith) {
	if c.after.Names == nil {
		return // an audit doesn't have it
	}
	of := func(name string, people *permission.Access, with heldWith) permission.Effect {
		return held(c.before.People, name).To(with(people, name))
	}
	alone := func(people *permission.Access, with heldWith) permission.Effect {
		one := of(result.Name, people, with)
		if result.Name == string(permission.CanReadHistory) {
			one = one.OfHistory(of(string(permission.CanRead), people, with))
		}
		if !effect.NobodyLeft { // deactivated accounts are listed once
			one.Lose = one.Lose.Minus(c.gone)
		}
		return one
	}
	if !effect.NobodyLeft {
		effect.Lose = effect.Lose.Minus(c.gone)
	}
	isWhole := func(one permission.Effect) bool {
		return one.Unknown == effect.Unknown && one.NobodyLeft == effect.NobodyLeft && one.Gain.Equal(effect.Gain) && one.Lose.Equal(effect.Lose)
	}
	if later != nil && isWhole(alone(c.before.People, later)) {
		result.FollowsFrom = report.OwnChange
		return
	}
	var gain, lose permission.People
	var parts []*report.PermissionChange
	for _, cause := range c.after.Causes {
		one := alone(cause.People(), held)
		if isWhole(one) {
			result.FollowsFrom = cause.Text
			return
		}
		isPart := !one.Unknown && one.Gain.Minus(effect.Gain).IsEmpty() && one.Lose.Minus(effect.Lose).IsEmpty()
		if isPart && one.Gain.Len()+one.Lose.Len() > 0 {
			part := *result
			part.FollowsFrom, part.Gain, part.Lose = cause.Text, c.people.Of(one.Gain), c.people.Of(one.Lose)
			gain, lose, parts = one.Gain.Or(gain), one.Lose.Or(lose), append(parts, &part)
		}
	}
	if !effect.Unknown && !effect.NobodyLeft && gain.Len() == effect.Gain.Len() && lose.Len() == effect.Lose.Len() {
		result.Parts = parts
	}
}
