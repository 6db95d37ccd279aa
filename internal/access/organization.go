// Package access says who can do what in an organization, and who gains and who loses between two.
//
// An [Organization] is one at one time: as it was read, as a plan leaves it, or as an audit recorded it. An audit writes one down;
// [Compare] makes a report of two: of a plan, where the second is the first with the plan applied, or of two audits.
package access

import (
	"cmp"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Organization is who can do what in one organization at one time. Of two that are compared it may have only what differs.
type Organization struct {
	// People are who has an account. In two that are compared, everybody has an account in both, active or not.
	People   *permission.Access
	Accounts []*Account
	Channels []*Channel
	Groups   []*Group
	// Rights are the organization's own.
	Rights []*Right
}

// Account is a person or a bot.
type Account struct {
	zulip.User

	// RoleText and OwnerText are the role and the owner in words: a plan may not know them.
	RoleText, OwnerText report.Value
	// Action is what a plan does with it, where the account does not tell, and Addresses are the resources that do.
	Action    report.Action
	Addresses []string
}

// Channel is a channel and who can do what in it.
type Channel struct {
	// ID is what it is matched by, negative for one that is yet to be created.
	ID         int64
	Name       string
	IsArchived bool
	// Folder is the name of its folder. NameUnknown and FolderUnknown say that these are not known; Name is then what it is called or by.
	Folder                     string
	NameUnknown, FolderUnknown bool
	// Facts are what decides who can do what in it.
	Facts   permission.Channel
	Privacy report.Value
	// Internet says that anyone on the internet can read it; nil if that is not known.
	Internet *bool
	// Subscribers are those who are in it; nil if that is not known.
	Subscribers *permission.People
	Rights      []*Right
	// Action is what a plan does with it, and Addresses are the resources that do.
	Action    report.Action
	Addresses []string
}

// Group is a user group, who is in it, and who can do what with it.
type Group struct {
	// ID is what it is matched by, negative for one that is yet to be created.
	ID   int64
	Name string
	// Members are the people directly in it, Subgroups the groups, and People all who are in it, however deep.
	Members, Subgroups report.Value
	People             permission.People
	// Unknown says that others will be in it, who are not known yet.
	Unknown bool
	Rights  []*Right
	// Action is what a plan does with it, and Addresses are the resources that do.
	Action    report.Action
	Addresses []string
}

// GroupFacts are what decides who can do what with a user group.
type GroupFacts struct {
	ID   int64
	Name string
	// NameUnknown says that it is not known what it will be called.
	NameUnknown bool
	// Members are the people directly in it, Subgroups the groups.
	Members, Subgroups []int64
	// Permissions are by name; one that is absent is not known, or the server does not have it.
	Permissions map[string]zulip.GroupSettingValue
	Unknown     map[string]bool
}

// Right is something that can be done, and who can.
type Right struct {
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

// Source is what rights are worked out with.
type Source struct {
	People *permission.Access
	// Names has the names of groups and the addresses of people.
	Names permission.Organization
}

// Describe fills in who can do what in a channel. planned has what a plan says of permissions; why says what it depends on who can,
// where that is not known. Of a channel that is yet to be created, only reading and what the plan sets is said.
func (s Source) Describe(c *Channel, facts permission.Channel, planned map[string]PlannedPermission, why string) {
	c.Facts = facts
	state := permission.ChannelRights{Access: s.People, Channel: facts}
	if c.IsArchived = facts.IsArchived; c.Privacy.Texts == nil && !c.Privacy.Unknown {
		c.Privacy = report.ValueOf(report.PrivacyText(facts.Privacy))
	}
	if reads, known := state.IsReadByInternet(); known {
		c.Internet = &reads
	}
	if facts.SubscribersKnown || c.ID < 0 {
		in := s.People.People(facts.Subscribers)
		c.Subscribers = &in
	}
	all := state.Held()
	for _, right := range permission.RightsAndHistory {
		held, has := all[right]
		set, isSet := planned[string(right)]
		if !has || c.ID < 0 && !isSet && right != permission.CanRead {
			continue
		}
		described := &Right{Name: string(right), Text: right.InWords(), Held: held, Why: cmp.Or(set.Why, why)}
		switch {
		case right == permission.CanRead || right == permission.CanReadHistory:
			described.Value = c.Privacy
		case isSet:
			described.Value = set.Text
		default:
			described.Value.Texts = permission.Texts(facts.Permissions[string(right)], s.Names)
		}
		c.Rights = append(c.Rights, described)
	}
}

// Rights returns who has the permissions of a user group or of the organization. values are those that it has, planned what a plan
// says of them.
func (s Source) Rights(table permission.Table, settings []permission.Setting, values map[string]zulip.GroupSettingValue, planned map[string]PlannedPermission) []*Right {
	var rights []*Right
	for _, setting := range settings {
		value, has := values[setting.Name]
		set, isSet := planned[setting.Name]
		if !has && !isSet {
			continue
		}
		right := &Right{Name: setting.Name, Text: setting.Right, Why: "it is not known yet who will be in a group that it names"}
		if isSet {
			value, right.Value = set.Value, set.Text
		} else {
			right.Value.Texts = permission.Texts(value, s.Names)
		}
		if right.Held = s.People.HeldBy(table, setting, value); set.Unknown {
			right.Held, right.Why = permission.HeldByUnknown(), set.Why
		}
		rights = append(rights, right)
	}
	return rights
}

// find returns a right by name; nil if there is none.
func find(rights []*Right, name string) *Right {
	if i := slices.IndexFunc(rights, func(right *Right) bool { return right.Name == name }); i >= 0 {
		return rights[i]
	}
	return nil
}
