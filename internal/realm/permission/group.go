package permission

import (
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const (
	canManageGroup     = "can_manage_group"
	canAddMembers      = "can_add_members_group"
	canRemoveMembers   = "can_remove_members_group"
	canManageAllGroups = "can_manage_all_groups"
)

// groupGrants are the other permissions of a user group that also permit what a permission of the group permits. All
// people in the organization's can_manage_all_groups can do it too (server-behavior §G8). can_mention_group is missing,
// because nothing else permits mentioning a group.
var groupGrants = map[string][]string{
	canManageGroup:    nil,
	canAddMembers:     {canManageGroup},
	canRemoveMembers:  {canManageGroup},
	"can_join_group":  {canAddMembers, canManageGroup},
	"can_leave_group": {canRemoveMembers, canManageGroup},
}

// GroupGrants returns the permissions that permit what a permission of a user group permits: those of the group, beginning
// with the permission itself, and those of the organization. Each is sufficient.
func GroupGrants(name string) (group, organization []string) {
	others, ok := groupGrants[name]
	if !ok {
		return []string{name}, nil
	}
	return append([]string{name}, others...), []string{canManageAllGroups}
}

// HeldInGroup returns the people with effective access by a permission of a user group. permissions are the group's
// permissions by name. If one that matters is absent, or the organization's, its value is unknown, and there may be others.
func (a *Access) HeldInGroup(name string, permissions map[string]zulip.GroupSettingValue) Held {
	all := Held{roster: a.roster, sets: []sets.Bits{nil, nil}}
	for _, grant := range a.grants(name, permissions) {
		held := HeldByUnknown()
		if grant.isKnown {
			held = a.HeldBy(grant.table, grant.setting, grant.value)
		}
		least, _ := held.Certain()
		most, isAll := held.Possible()
		all.sets[0], all.sets[1], all.isUnknown = all.sets[0].Or(least.set), all.sets[1].Or(most.set), all.isUnknown || !isAll
	}
	return all
}

// grant is one of the permissions that permit something with a user group.
type grant struct {
	table   Table
	setting Spec
	value   zulip.GroupSettingValue
	isKnown bool
}

func (a *Access) grants(name string, permissions map[string]zulip.GroupSettingValue) (all []grant) {
	var organization map[string]zulip.GroupSettingValue
	if a.facts.Realm != nil {
		organization = a.facts.Realm.Permissions
	}
	add := func(table Table, names []string, values map[string]zulip.GroupSettingValue) {
		for _, name := range names {
			value, isKnown := values[name]
			all = append(all, grant{table, table.Setting(name), value, isKnown})
		}
	}
	ofGroup, ofOrganization := GroupGrants(name)
	add(UserGroups, ofGroup, permissions)
	add(Organizations, ofOrganization, organization)
	return all
}

// InGroup returns the reasons why the user has a permission of a user group, like [GrantedPermission.Through]. It is empty
// if the user does not certainly have it. permissions are those of [Access.HeldInGroup].
func (p *Person) InGroup(name string, permissions map[string]zulip.GroupSettingValue) (through []string) {
	for _, grant := range p.access.grants(name, permissions) {
		if !grant.isKnown || !p.access.Admitted(grant.table, grant.setting, grant.value).Has(p.user.ID) {
			continue
		}
		prefix := ""
		switch {
		case grant.table.Key == Organizations.Key:
			prefix = byOrganization + grant.setting.Name + ": "
		case grant.setting.Name != name:
			prefix = grant.setting.Name + ": "
		}
		through = append(through, prefixed(prefix, p.Through(grant.value))...)
	}
	return through
}
