package review

import (
	"maps"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// startGroup creates, renames or deactivates a zulip_user_group. Its members and permissions are applied after all groups
// have their names.
func (b *builder) startGroup(c *plan.Change) {
	name, known := c.After().Plain("name")
	if c.Does("create") {
		b.createGroup(c, name, known)
		return
	}
	id, _ := c.Before().Number("id")
	group := b.org.groups[id]
	switch {
	case group == nil && c.Does("update"):
		b.addUnseen(c)
	case group == nil:
	case c.Does("update"):
		group.Action, group.NameUnknown = report.Update, !known && c.SetsUnknown("name")
		b.changing(group, c)
		if known && name != group.Name {
			group.Name, group.Secret = b.named(c)
		}
	case !group.Deactivated:
		group.TouchBy(c.Address)
		if group.Action = report.Release; c.Does("delete") {
			group.Action, group.Deactivated = report.Deactivate, true
		}
	}
}

// leaveGroups removes a group that ends from other groups and from permissions of groups and of the organization.
func (b *builder) leaveGroups(c *plan.Change) {
	id, ended := b.endedGroup(c)
	if !ended {
		return
	}
	for _, group := range b.is.Groups {
		if group.Deactivated {
			continue
		}
		rest := sets.Without(group.DirectSubgroupIDs, []int64{id})
		planned := b.without(id, permission.UserGroups, group.Permissions)
		if len(planned) > 0 || len(rest) < len(group.DirectSubgroupIDs) {
			group.TouchBy(c.Address)
		}
		group.DirectSubgroupIDs, group.Planned, group.Permissions = rest, merge(group.Planned, planned), withPlanned(group.Permissions, planned)
	}
	planned := b.without(id, permission.Organizations, b.is.Permissions)
	maps.Copy(b.is.Planned, planned)
	b.is.Permissions = withPlanned(b.is.Permissions, planned)
}

// leaveChannels removes a group that ends from permissions of channels.
func (b *builder) leaveChannels(c *plan.Change) {
	id, ended := b.endedGroup(c)
	if !ended {
		return
	}
	for _, channel := range b.is.Channels {
		if planned := b.without(id, permission.Channels, channel.Facts.Permissions); len(planned) > 0 && !channel.Facts.IsArchived {
			channel.TouchBy(c.Address)
			channel.Planned, channel.Facts.Permissions = merge(channel.Planned, planned), withPlanned(channel.Facts.Permissions, planned)
		}
	}
}

// endedGroup returns the group that a change deactivates.
func (b *builder) endedGroup(c *plan.Change) (id int64, ended bool) {
	id, _ = c.Before().Number("id")
	group := b.org.groups[id]
	return id, c.Does("delete") && group != nil && group.Action == report.Deactivate
}

// without returns the permissions from which the provider removes a group before it deactivates the group.
func (b *builder) without(group int64, table permission.Table, current map[string]zulip.GroupSettingValue) map[string]access.PlannedPermission {
	all := map[string]access.PlannedPermission{}
	for name, value := range current {
		if permission.Names(value, group) {
			all[name] = b.plannedPermission(permission.Canonical(table.Without(name, value, group, b.org), permission.NobodyID(b.org)))
		}
	}
	return all
}

// createGroup creates a user group, or reactivates one.
func (b *builder) createGroup(c *plan.Change, name string, known bool) {
	if !known {
		b.unknown(access.OneThing, "The name of %s isn't known yet.", c.Address)
	}
	current, there := b.org.UserGroups().ByName(name)
	isBack := known && there && b.isReplaced(c, current.ID)
	var group *access.Group
	switch {
	case isBack || known && there && current.Deactivated && c.After().IsTrue("adopt_deactivated"):
		group = b.org.groups[current.ID]
		if group.Action, group.Deactivated = report.Reactivate, false; isBack {
			group.Action = report.Replace
		}
	default:
		name, secret := b.named(c)
		group = &access.Group{UserGroup: zulip.UserGroup{ID: b.org.nextID(), Name: name}, Secret: secret, NameUnknown: !known, Touched: access.Touched{Action: report.Create}}
		b.is.Groups, b.org.groups[group.ID] = append(b.is.Groups, group), group
	}
	b.changing(group, c)
}

// changing notes the group to which a change applies.
func (b *builder) changing(group *access.Group, c *plan.Change) {
	group.TouchBy(c.Address)
	b.groupOf[c], b.ids[c.Address] = group, group.ID
}

// listedMembers applies only the members of a group.
func (b *builder) listedMembers(c *plan.Change) {
	group := b.groupOf[c]
	if group == nil {
		return
	}
	isSet := func(attribute string) bool {
		texts, unknown, ok := c.After().List(attribute)
		was, _, had := c.Before().List(attribute)
		return ok && (!had || unknown || !slices.Equal(texts, was)) && (!unknown || c.IsSet(attribute))
	}
	if isSet("members") {
		users := b.users(c, "members")
		group.Members = users.accounts
		b.join(group, c, users)
	}
	if isSet("subgroups") {
		groups := b.subgroups(c, c.After())
		group.DirectSubgroupIDs = groups.groups
		b.join(group, c, groups)
	}
}

// join notes who may be in a group besides its known members.
func (b *builder) join(group *access.Group, c *plan.Change, l list) {
	b.notFound(c, l.missing)
	group.MembersUnknown, group.MayJoin = group.MembersUnknown || !l.isKnown(), slices.Concat(group.MayJoin, l.may)
}

// groupPermissions applies the permissions of a group.
func (b *builder) groupPermissions(c *plan.Change) {
	if group := b.groupOf[c]; group != nil {
		planned := b.plannedPermissions(c, permission.UserGroups, group.Permissions)
		group.Planned, group.Permissions = merge(group.Planned, planned), withPlanned(group.Permissions, planned)
		if group.ID < 0 {
			defaults, _ := b.serverDefaults(permission.UserGroups, group.Planned)
			group.Permissions = merge(group.Permissions, defaults)
		}
	}
}

// subgroups returns the subgroups in the attributes of a change.
func (b *builder) subgroups(c *plan.Change, m plan.Attributes) (l list) {
	texts, isUnknown, _ := m.List("subgroups")
	for _, text := range texts {
		switch group, ok := b.org.findGroup(text); {
		case ok && b.org.changesHands(text):
			l.missing = append(l.missing, text+" (this plan gives the name to another group)")
		case ok:
			l.groups = append(l.groups, group.ID)
		default:
			l.missing = append(l.missing, text)
		}
	}
	if isUnknown && c.IsSet("subgroups") {
		b.addUnknown(&l, c, "subgroups")
	}
	if len(l.missing) > 0 {
		l.may = b.everybody()
	}
	if len(l.missing) > 0 && m.IsSecret("subgroups") {
		l.missing = []string{plan.Masked}
	}
	return l
}

// membership applies a zulip_user_group_membership. It removes people that it no longer lists, unless they were members
// before it, which no plan shows.
func (b *builder) membership(c *plan.Change) {
	was, is := c.Before(), c.After()
	before, _, _ := was.List("members")
	var users, groups list
	if c.HasAfter() {
		users, groups = b.users(c, "members"), b.subgroups(c, is)
	}
	out, _ := b.org.findUsers(before)
	out, groupsOut := sets.Without(out, slices.Concat(users.accounts, users.may)), sets.Without(b.subgroups(c, was).groups, groups.groups)
	switch ids := b.membershipGroups(c); {
	case len(ids) == 1:
		b.changeMembers(c, ids[0], users, groups, out, groupsOut)
	case c.Does("create"):
		may := slices.Concat(users.accounts, users.may, groups.may)
		if len(groups.groups) > 0 {
			may = b.everybody()
		}
		var options []outcome
		for _, group := range b.is.Groups {
			if isPossible := ids == nil || slices.Contains(ids, group.ID); isPossible && !group.IsSystemGroup && !group.Deactivated {
				options = append(options, mayJoin(may, []int64{group.ID}))
			}
		}
		if len(options) > maxWorlds {
			options = []outcome{mayJoin(may, ids)}
		}
		b.choose(options, "The group of %s isn't known yet.", c.Address)
	case c.Does("update"):
		b.addUnseen(c)
	}
}

// membershipGroups is the group of a membership, or the groups of which one is meant.
func (b *builder) membershipGroups(c *plan.Change) []int64 {
	m := c.Latest()
	if id, ok := m.Number("group_id"); ok {
		return []int64{id}
	}
	if found, isComplete := b.objects(c, "group"); isComplete && len(found.groups) > 0 {
		return found.groups
	}
	text, _ := m.Plain("group")
	group, ok := b.org.findGroup(text)
	switch {
	case !ok:
		return nil
	case b.org.changesHands(text):
		before, _ := b.org.Snapshot.UserGroupByName(group.Name)
		return []int64{before.ID, group.ID}
	}
	return []int64{group.ID}
}

// changeMembers adds people and groups to a group and removes others.
func (b *builder) changeMembers(c *plan.Change, id int64, users, groups list, out, groupsOut []int64) {
	group := b.org.groups[id]
	if group == nil {
		b.addUnseen(c)
		return
	}
	group.Members = merged(group.Members, users.accounts, out)
	group.DirectSubgroupIDs = merged(group.DirectSubgroupIDs, groups.groups, groupsOut)
	b.join(group, c, users)
	b.join(group, c, groups)
	group.TouchBy(c.Address)
	if group.Action == report.Affects {
		group.Action = report.Update
	}
	if len(out)+len(groupsOut) > 0 {
		b.unknown(access.OneThing, "People who were members before %s listed them stay, and no plan shows who they are: some of those counted as leaving might stay.", c.Address)
		stay := out
		if len(groupsOut) > 0 {
			stay = b.everybody()
		}
		b.may = append(b.may, mayJoin(stay, []int64{id}))
	}
}

// merged returns IDs with some added and some removed.
func merged(ids, put, taken []int64) []int64 {
	all := append(slices.Clone(ids), put...)
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(id int64) bool { return slices.Contains(taken, id) && !slices.Contains(put, id) })
}
