// Package access says who can do what in an organization, and who gains and who loses between two.
//
// An [Organization] is one at one time: as it was read, as a plan leaves it, or as an audit recorded it. An audit writes one down;
// [Compare] makes a report of two: of a plan, where the second is the first with the plan applied, or of two audits.
package access

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Organization is one organization at one time, and who can do what in it. Of two that are compared it may have only what differs.
type Organization struct {
	// People are who has an account. In two that are compared, everyone has an account in both, active or not.
	People *permission.Access
	// Names finds what principals name; nil in one that an audit recorded, which has the permissions with everything.
	Names    permission.Organization
	Accounts []*Account
	// Channels, Groups and Folders are all of them, also those that are archived and deactivated; folders are by ID.
	Channels []*Channel
	Groups   []*Group
	Folders  map[int64]string
	// Permissions are the organization's own, and Planned what a plan says of them.
	Permissions map[string]zulip.GroupSettingValue
	Planned     map[string]PlannedPermission
	// Effective is the effective access by the organization's own permissions.
	Effective []*EffectivePermission
	Joining   Joining
	// Unknown is what is not known of it.
	Unknown []Unknown
	// Now decides which exceptions of rules have ended.
	Now time.Time
}

// Unknown is something that is not known, as a sentence.
type Unknown struct {
	Scope Scope
	Text  string
}

// Scope is what something that is not known may matter to.
type Scope int

// The scopes.
const (
	// Anywhere may matter to anything.
	Anywhere Scope = iota
	// Told may matter to anything, and a report says it of the thing that it is about.
	Told
	// OneThing matters to one thing only, whose facts say so too.
	OneThing
	// OfChannels matters to which channels there are, and OfJoining to how people join.
	OfChannels
	OfJoining
)

// Unknowns lists what is not known in some scopes.
func (o *Organization) Unknowns(scopes ...Scope) (texts []string) {
	for _, unknown := range o.Unknown {
		if slices.Contains(scopes, unknown.Scope) {
			texts = append(texts, unknown.Text)
		}
	}
	return texts
}

// Joining is how people come to join.
type Joining struct {
	// InviteRequired says that no one joins without an invitation; nil: not known.
	InviteRequired *bool
	// Invitations are those that can be used.
	Invitations []Invitation
}

// Invitation is a link or a mail by which people join with a role.
type Invitation struct {
	// Text names it: the invitation of a@example.com, an invitation link.
	Text string
	Role zulip.Role
}

// Clone returns the same organization, of which everything can be changed. It lists no accounts yet.
func (o *Organization) Clone() *Organization {
	later := *o
	later.Channels, later.Groups = cloned(o.Channels), cloned(o.Groups)
	later.Folders, later.Permissions, later.Planned = maps.Clone(o.Folders), maps.Clone(o.Permissions), map[string]PlannedPermission{}
	later.Unknown, later.Joining.Invitations = slices.Clone(o.Unknown), slices.Clone(o.Joining.Invitations)
	return &later
}

func cloned[Thing any](things []*Thing) []*Thing {
	all := make([]*Thing, len(things))
	for i, thing := range things {
		one := *thing
		all[i] = &one
	}
	return all
}

// ActiveChannels are the channels that are not archived.
func (o *Organization) ActiveChannels() []*Channel {
	return slices.DeleteFunc(slices.Clone(o.Channels), func(channel *Channel) bool { return channel.Facts.IsArchived })
}

// ActiveGroups are the user groups that are not deactivated, without those of roles.
func (o *Organization) ActiveGroups() []*Group {
	return slices.DeleteFunc(slices.Clone(o.Groups), func(group *Group) bool { return group.Deactivated || group.IsSystemGroup })
}

// In is a channel in the organization.
func (o *Organization) In(channel *Channel) permission.ChannelState {
	return permission.ChannelState{Access: o.People, Channel: channel.Facts}
}

// Touched says what a plan does with something.
type Touched struct {
	// Action is empty where the plan does not change it, or where what it is before and after tells.
	Action report.Action
	// Addresses are the resources of the plan that change it.
	Addresses []string
}

// TouchBy notes resources that change it.
func (t *Touched) TouchBy(addresses ...string) {
	for _, address := range addresses {
		if !slices.Contains(t.Addresses, address) {
			t.Addresses = append(t.Addresses, address)
		}
	}
}

// TouchedBy returns the resources that change it.
func (t *Touched) TouchedBy() []string { return t.Addresses }

// Account is a person or a bot.
type Account struct {
	zulip.User

	// RoleText and OwnerText are the role and the owner in words: a plan may not know them.
	RoleText, OwnerText report.Value
	Touched
}

// Channel is a channel and who can do what in it.
type Channel struct {
	// ID is what it is matched by, negative for one that is yet to be created.
	ID   int64
	Name string
	// FolderID is the folder that it is in, and Folder its name; nil and empty if it is in none. NameUnknown and FolderUnknown say that
	// these are not known; Name is then what it is called or by.
	FolderID                   *int64
	Folder                     string
	NameUnknown, FolderUnknown bool
	// IsDefault says that the server subscribes new accounts to it, DefaultUnknown that it is not known whether it does.
	IsDefault, DefaultUnknown bool
	// Facts are what decides who can do what in it, and Planned what a plan says of the permissions.
	Facts   permission.Channel
	Planned map[string]PlannedPermission
	// Why says what it depends on who will be in it; empty if that is known, or cannot be asked.
	Why     string
	Privacy report.Value
	// Internet says that anyone on the internet can read it; nil if that is not known.
	Internet *bool
	// Subscribers are those who are in it; nil if that is not known.
	Subscribers *permission.People
	Effective   []*EffectivePermission
	Touched
}

// Group is a user group, who is in it, and who can do what with it. It has a negative ID if it is yet to be created.
type Group struct {
	zulip.UserGroup

	NameUnknown bool
	// MembersUnknown is true if it gets members that aren't known yet, MayStay if some of the people removed from it might stay.
	MembersUnknown, MayStay bool
	// Planned is what a plan says of its permissions.
	Planned map[string]PlannedPermission
	// MembersText are the people directly in it, SubgroupsText the groups, and People all who are in it, however deep.
	MembersText, SubgroupsText report.Value
	People                     permission.People
	Effective                  []*EffectivePermission
	Touched
}

// EffectivePermission is a permission and the people who can do what it permits.
type EffectivePermission struct {
	// Name is the permission, as attributes are called, and Text what it permits, to follow "can".
	Name, Text string
	// Value is the permission in words; that of reading is the privacy of the channel.
	Value report.Value
	Held  permission.Held
	// Why says what it depends on, where others may be able to as well.
	Why string
}

// PlannedPermission is what a plan says of a permission.
type PlannedPermission struct {
	// Text is the value in words, and Value what it is for the server.
	Text  report.Value
	Value zulip.GroupSettingValue
	// Unknown says that the value, or a part of it, is not known; Why says what it depends on.
	Unknown bool
	Why     string
}

// DescribeChannel fills in who can do what in a channel. A planned channel has only reading and the permissions that the plan sets.
// Other permissions are written with the names of an organization.
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

// why says what it depends on who gains and who loses.
func (c *Channel) why() string {
	switch {
	case c.Why != "":
		return c.Why
	case c.Facts.PrivacyUnknown:
		return "the plan doesn't know the channel's privacy yet"
	case c.Facts.TopicsPolicyUnknown:
		return "the plan doesn't know the channel's topics_policy yet"
	case len(c.Facts.Unknown) > 0:
		return "the plan doesn't know " + strings.Join(slices.Sorted(maps.Keys(c.Facts.Unknown)), " and ") + " yet"
	case c.ID > 0 && !c.Facts.SubscribersKnown:
		return "the account can't see the channel's subscribers"
	}
	return "the members of a group or a permission of the organization aren't known yet"
}

// DescribeGroup fills in who is in a group, and who can do what with it.
func (o *Organization) DescribeGroup(g *Group, names permission.Organization) {
	g.MembersText, g.SubgroupsText = report.Value{Values: []string{}, Unknown: g.MembersUnknown}, report.Value{Values: []string{}}
	for _, id := range g.Members {
		if user, ok := o.Names.User(id); ok {
			g.MembersText.Values = append(g.MembersText.Values, user.Address())
		}
	}
	for _, id := range g.DirectSubgroupIDs {
		if group, ok := o.Names.UserGroup(id); ok {
			g.SubgroupsText.Values = append(g.SubgroupsText.Values, group.Name)
		}
	}
	slices.Sort(g.MembersText.Values)
	slices.Sort(g.SubgroupsText.Values)
	g.People = o.People.In(zulip.NamedGroup(g.ID))
	g.Effective = o.effective(permission.UserGroups, g.Permissions, g.Planned, names)
}

// DescribePermissions returns who has the permissions of the organization.
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
			one.Held, one.Why = permission.HeldByUnknown(), set.Why
		}
		effective = append(effective, one)
	}
	return effective
}

// find returns a permission by name; nil if there is none.
func find(effective []*EffectivePermission, name string) *EffectivePermission {
	if i := slices.IndexFunc(effective, func(permission *EffectivePermission) bool { return permission.Name == name }); i >= 0 {
		return effective[i]
	}
	return nil
}
