// Package access computes who can do what in an organization, and compares two organizations.
//
// An [Organization] is the organization at one time: as it was read, as a plan leaves it, or as an audit recorded it.
// [Compare] makes a report of two: before and after a plan, or of two audits.
package access

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Organization is an organization at one time, and who can do what in it. One of two that are compared may have only the
// differences.
type Organization struct {
	// People are the accounts. In two organizations that are compared, both have all accounts, active or not.
	People *permission.Access
	// Names finds the objects that principals name. It is nil for a recorded audit, which has its permissions in words.
	Names    permission.Organization
	Accounts []*Account
	// Channels, Groups and Folders include archived and deactivated ones. Folders are by ID.
	Channels []*Channel
	Groups   []*Group
	Folders  map[int64]string
	// Permissions are the organization's own permissions, and Planned are those that a plan writes.
	Permissions map[string]zulip.GroupSettingValue
	Planned     map[string]PlannedPermission
	// Effective is the effective access by the organization's own permissions.
	Effective []*EffectivePermission
	Joining   Joining
	// Unknown are the facts that are not known.
	Unknown []Unknown
	// Causes are the changes by a plan that can have consequences for other objects.
	Causes []Cause
	// Now decides which exceptions of rules have ended.
	Now time.Time
}

// Cause is a change by a plan, in words, and the people and groups with this change alone.
type Cause struct {
	Text   string
	People func() *permission.Access
}

// Unknown is a fact that is not known, as a sentence.
type Unknown struct {
	Scope Scope
	Text  string
}

// Scope says for what an unknown fact may matter.
type Scope int

// The scopes.
const (
	// Anywhere may matter to anything.
	Anywhere Scope = iota
	// Told may matter to anything, and the report mentions it at its object.
	Told
	// OneThing matters to one object only, which has it in its own facts too, as a choice, or as a possible member.
	OneThing
	// OfChannels matters to which channels exist, and OfJoining to how people join.
	OfChannels
	OfJoining
)

// Unknowns lists the unknown facts of some scopes.
func (o *Organization) Unknowns(scopes ...Scope) []string {
	return lists.Found(o.Unknown, func(unknown Unknown) (string, bool) { return unknown.Text, slices.Contains(scopes, unknown.Scope) })
}

// Joining is how people come to join.
type Joining struct {
	// InviteRequired is true if no one joins without an invitation; nil if it is not known.
	InviteRequired *bool
	// Invitations are the usable ones.
	Invitations []Invitation
}

// Invitation is a link or an email by which people join with a role.
type Invitation struct {
	// Text names it: the invitation of a@example.com, an invitation link.
	Text string
	// IsForOne is true if it was sent to one person.
	IsForOne bool
	Role     zulip.Role
	// From is the ID of the inviter; 0 if the plan creates the invitation.
	From int64
}

// Clone returns a copy in which everything can be changed. It lists no accounts yet.
func (o *Organization) Clone() *Organization {
	later := *o
	later.Channels, later.Groups = cloned(o.Channels), cloned(o.Groups)
	later.Folders, later.Permissions, later.Planned = maps.Clone(o.Folders), maps.Clone(o.Permissions), map[string]PlannedPermission{}
	later.Unknown, later.Joining.Invitations = slices.Clone(o.Unknown), slices.Clone(o.Joining.Invitations)
	return &later
}

func cloned[Thing any](things []*Thing) []*Thing {
	return lists.Map(things, func(thing *Thing) *Thing {
		one := *thing
		return &one
	})
}

// ActiveChannels are the channels that are not archived.
func (o *Organization) ActiveChannels() []*Channel {
	return lists.Where(o.Channels, func(channel *Channel) bool { return !channel.Facts.IsArchived })
}

// ActiveGroups are the user groups that are not deactivated, without the groups of roles.
func (o *Organization) ActiveGroups() []*Group {
	return lists.Where(o.Groups, func(group *Group) bool { return !group.Deactivated && !group.IsSystemGroup })
}

// In returns a channel with the people of the organization.
func (o *Organization) In(channel *Channel) permission.ChannelState {
	return permission.ChannelState{Access: o.People, Channel: channel.Facts}
}

// Touched is what a plan does with an object.
type Touched struct {
	// Action is empty if the plan does not change the object, or if its state before and after tells the action.
	Action report.Action
	// Addresses are the addresses of the resources in the plan that change it.
	Addresses []string
}

// TouchBy notes resources that change the object.
func (t *Touched) TouchBy(addresses ...string) {
	t.Addresses = lists.Add(t.Addresses, addresses...)
}

// Account is a person or a bot.
type Account struct {
	zulip.User

	// EmailUnknown is true if the plan creates the account and doesn't know its email. The email and the name are then the
	// resource address.
	EmailUnknown bool
	// Secret is the email if the plan marks it as sensitive. The other texts are then masked.
	Secret string
	// RoleText and OwnerText are the role and the owner in words, because a plan may not know them.
	RoleText, OwnerText report.Value
	Touched
}

// Channel is a channel and who can do what in it.
type Channel struct {
	// ID identifies the channel; it is negative if the plan creates the channel.
	ID   int64
	Name string
	// Secret is the name if the plan marks it as sensitive; Name is then masked.
	Secret string
	// FolderID and Folder are the ID and the name of its folder; nil and empty without one. NameUnknown and FolderUnknown
	// are true if these are not known. Name is then the earlier name or the resource address.
	FolderID                   *int64
	Folder                     string
	NameUnknown, FolderUnknown bool
	// IsDefault is true if the server subscribes new accounts, DefaultUnknown if that is not known.
	IsDefault, DefaultUnknown bool
	// Facts decide who can do what in it. Planned are the permissions that a plan writes.
	Facts   permission.Channel
	Planned map[string]PlannedPermission
	// Why says why the subscribers are not known; empty if they are known, or can't be read.
	Why     string
	Privacy report.Value
	// Internet is true if anyone on the internet can read it; nil if that is not known.
	Internet *bool
	// Subscribers are nil if they are not known.
	Subscribers *permission.People
	Effective   []*EffectivePermission
	Touched
}

// Called returns the name, which can be sensitive: nothing shows it.
func (c *Channel) Called() string { return cmp.Or(c.Secret, c.Name) }

// Called returns the name, which can be sensitive: nothing shows it.
func (g *Group) Called() string { return cmp.Or(g.Secret, g.Name) }

// Group is a user group, its members, and who can do what with it. It has a negative ID if the plan creates it.
type Group struct {
	zulip.UserGroup

	NameUnknown bool
	// Secret is the name if the plan marks it as sensitive; Name is then masked.
	Secret string
	// MembersUnknown is true if it gets members that aren't known yet. They are among MayJoin.
	MembersUnknown bool
	MayJoin        []int64
	// Planned are the permissions that a plan writes.
	Planned map[string]PlannedPermission
	// MembersText are the direct members, SubgroupsText the direct subgroups, and People all members, also through
	// subgroups.
	MembersText, SubgroupsText report.Value
	People                     permission.People
	Effective                  []*EffectivePermission
	Touched
}

// EffectivePermission is a permission and the people who can do what it permits.
type EffectivePermission struct {
	// Name is the name of the attribute. Text is what the permission permits, to follow "can".
	Name, Text string
	// Value is the value in words. For reading it is the privacy of the channel.
	Value report.Value
	Held  permission.Held
	// Why says why others might have access too.
	Why string
}

// PlannedPermission is the value of a permission in a plan.
type PlannedPermission struct {
	// Text is the value in words, and Value the value for the server. A value that isn't completely known has a group with
	// unknown members.
	Text  report.Value
	Value zulip.GroupSettingValue
	// Unknown is true if the value, or a part of it, is not known. Why is the reason.
	Unknown bool
	Why     string
}

// DescribeChannel computes who can do what in a channel. A planned channel has only reading and the permissions that the
// plan sets. Values are written with the names of an organization.
func (o *Organization) DescribeChannel(c *Channel, names permission.Organization) {
	state := o.In(c)
	if c.Privacy = report.ValueOf(report.PrivacyText(c.Facts.Privacy)); c.Facts.PrivacyUnknown {
		c.Privacy = report.Value{Unknown: true}
	}
	if reads, known := state.IsReadByInternet(); known {
		c.Internet = &reads
	}
	if c.Facts.SubscribersKnown || c.ID < 0 {
		in := o.People.People(c.Facts.Subscribers)
		c.Subscribers = &in
	}
	all := state.Held()
	for _, name := range permission.ChannelPermissionsAndHistory {
		held, has := all[name]
		set, isSet := c.Planned[string(name)]
		if !has || c.ID < 0 && !isSet && name != permission.CanRead {
			continue
		}
		described := &EffectivePermission{Name: string(name), Text: name.InWords(), Held: held, Why: cmp.Or(set.Why, c.why())}
		switch {
		case name == permission.CanRead || name == permission.CanReadHistory:
			described.Value = c.Privacy
		case isSet:
			described.Value = set.Text
		default:
			described.Value.Values = permission.Texts(c.Facts.Permissions[string(name)], names)
		}
		c.Effective = append(c.Effective, described)
	}
}

// why says why it is not known who gains and loses access.
func (c *Channel) why() string {
	switch {
	case c.Why != "":
		return c.Why
	case c.Facts.PrivacyUnknown:
		return "the plan doesn't know the channel's privacy yet"
	case c.Facts.TopicsPolicyUnknown:
		return "the plan doesn't know the channel's topics_policy yet"
	}
	for _, name := range slices.Sorted(maps.Keys(c.Planned)) {
		if c.Planned[name].Unknown {
			return c.Planned[name].Why
		}
	}
	switch {
	case len(c.Facts.Unknown) > 0:
		return "this version doesn't know the server's default of " + strings.Join(slices.Sorted(maps.Keys(c.Facts.Unknown)), " and ")
	case c.ID > 0 && !c.Facts.SubscribersKnown:
		return "the account can't see the channel's subscribers"
	}
	return "the members of a group or a permission of the organization aren't known yet"
}

// DescribeGroup computes the members of a group, and who can do what with it.
func (o *Organization) DescribeGroup(g *Group, names permission.Organization) {
	members, subgroups := lists.Found(g.Members, o.Names.User), lists.Found(g.DirectSubgroupIDs, o.Names.UserGroup)
	g.MembersText = report.Value{Values: lists.Map(members, (*zulip.User).Address), Unknown: g.MembersUnknown}
	g.SubgroupsText = report.Value{Values: lists.Map(subgroups, func(group *zulip.UserGroup) string { return group.Name })}
	slices.Sort(g.MembersText.Values)
	slices.Sort(g.SubgroupsText.Values)
	g.People = o.People.In(zulip.NamedGroup(g.ID))
	g.Effective = o.effective(permission.UserGroups, g.Permissions, g.Planned, names)
	if g.ID < 0 { // only the permissions that the plan sets are shown
		g.Effective = slices.DeleteFunc(g.Effective, func(one *EffectivePermission) bool { _, isSet := g.Planned[one.Name]; return !isSet })
	}
	for _, one := range g.Effective {
		one.Held, one.Why = o.People.HeldInGroup(one.Name, g.Permissions), o.whyInGroup(g, one.Name)
	}
}

// whyInGroup says why it is not known who gains and loses access.
func (o *Organization) whyInGroup(g *Group, name string) string {
	ofGroup, ofOrganization := permission.GroupGrants(name)
	for _, one := range ofGroup {
		if g.Planned[one].Unknown {
			return g.Planned[one].Why
		}
	}
	for _, one := range ofOrganization {
		if o.Planned[one].Unknown {
			return o.Planned[one].Why
		}
	}
	return "the members of a group or a permission of the organization aren't known yet"
}

// DescribePermissions returns the effective access by the permissions of the organization.
func (o *Organization) DescribePermissions(names permission.Organization) []*EffectivePermission {
	return o.effective(permission.Organizations, o.Permissions, o.Planned, names)
}

func (o *Organization) effective(table permission.Table, values map[string]zulip.GroupSettingValue, planned map[string]PlannedPermission, names permission.Organization) []*EffectivePermission {
	var effective []*EffectivePermission
	for _, setting := range table.Settings {
		value, has := values[setting.Name]
		set, isSet := planned[setting.Name]
		if !has && !isSet {
			continue
		}
		one := &EffectivePermission{Name: setting.Name, Text: setting.Action, Value: set.Text, Why: "the members of a group in this permission aren't known yet"}
		if !isSet {
			one.Value.Values = permission.Texts(value, names)
		}
		if one.Held = o.People.HeldBy(table, setting, value); set.Unknown {
			one.Why = set.Why
		}
		effective = append(effective, one)
	}
	return effective
}
