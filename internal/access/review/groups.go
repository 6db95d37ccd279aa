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
	name, known := c.After().Text("name")
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
		group.Action, group.NameUnknown = report.Update, !known && c.After().IsUnknown("name") && c.IsSet("name")
		b.changing(group, c)
		if known {
			group.Name = name
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
		group = &access.Group{UserGroup: zulip.UserGroup{ID: b.org.nextID(), Name: name}, NameUnknown: !known, Touched: access.Touched{Action: report.Create}}
		b.is.Groups, b.org.groups[group.ID] = append(b.is.Groups, group), group
	}
	b.changing(group, c)
}

// changing notes the group to which a change applies.
func (b *builder) changing(group *access.Group, c *plan.Change) {
	group.TouchBy(c.Address)
	b.groupOf[c] = group
}

// listedMembers applies only the members of a group.
func (b *builder) listedMembers(c *plan.Change) {
	group := b.groupOf[c]
	if group == nil {
		return
	}
	set := func(attribute string, find func([]string) ([]int64, []string), in *[]int64) {
		texts, unknown, ok := c.After().List(attribute)
		if was, _, had := c.Before().List(attribute); !ok || had && !unknown && slices.Equal(texts, was) || unknown && !c.IsSet(attribute) {
			return
		}
		ids, missing := find(texts)
		b.missing(access.OneThing, c, missing)
		*in, group.MembersUnknown = ids, group.MembersUnknown || unknown || len(missing) > 0
	}
	set("members", b.listedUsers, &group.Members)
	set("subgroups", b.subgroups, &group.DirectSubgroupIDs)
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

func (b *builder) subgroups(texts []string) (ids []int64, missing []string) {
	for _, text := range texts {
		switch group, ok := b.org.findGroup(text); {
		case ok && b.org.changesHands(text):
			missing = append(missing, text+" (this plan gives the name to another group)")
		case ok:
			ids = append(ids, group.ID)
		default:
			missing = append(missing, text)
		}
	}
	return ids, missing
}

// membership applies a zulip_user_group_membership. It removes people that it no longer lists, unless they were members
// before it, which no plan shows.
func (b *builder) membership(c *plan.Change) {
	was, is := c.Before(), c.After()
	before, _, _ := was.List("members")
	after, unknown, _ := is.List("members")
	groupsBefore, _, _ := was.List("subgroups")
	groupsAfter, unknownGroups, _ := is.List("subgroups")
	switch {
	case c.Does("delete"):
		if id, ok := was.Number("group_id"); ok {
			b.changeMembers(c, id, nil, before, nil, groupsBefore, false)
		}
	case c.Does("create"):
		id, ok := b.membershipGroup(c)
		if !ok {
			b.unknown(access.Anywhere, "The group of %s isn't known yet.", c.Address)
			return
		}
		b.changeMembers(c, id, after, nil, groupsAfter, nil, unknown || unknownGroups)
	case c.Does("update"):
		id, ok := is.Number("group_id")
		if !ok {
			b.addUnseen(c)
			return
		}
		b.changeMembers(c, id, after, sets.Without(before, after), groupsAfter, sets.Without(groupsBefore, groupsAfter), unknown || unknownGroups)
	}
}

// membershipGroup is the group of a membership that the plan creates.
func (b *builder) membershipGroup(c *plan.Change) (int64, bool) {
	if id, ok := c.After().Number("group_id"); ok {
		return id, true
	}
	if text, ok := c.After().Text("group"); ok {
		group, ok := b.org.findGroup(text)
		if !ok || b.org.changesHands(text) && c.RefersTo("group") == "" {
			return 0, false
		}
		return group.ID, true
	}
	group, ok := made(c, "group", b.is.Groups[len(b.was.Groups):])
	if !ok {
		return 0, false
	}
	return group.ID, true
}

// changeMembers adds people and groups to a group and removes others.
func (b *builder) changeMembers(c *plan.Change, id int64, in, out, groupsIn, groupsOut []string, unknown bool) {
	group := b.org.groups[id]
	if group == nil {
		b.addUnseen(c)
		return
	}
	put, missing := b.listedUsers(in)
	taken, _ := b.org.findUsers(out)
	putGroups, missingGroups := b.subgroups(groupsIn)
	takenGroups, _ := b.subgroups(groupsOut)
	b.missing(access.OneThing, c, append(missing, missingGroups...))
	group.Members = merged(group.Members, put, taken)
	group.DirectSubgroupIDs = merged(group.DirectSubgroupIDs, putGroups, takenGroups)
	group.MembersUnknown = group.MembersUnknown || unknown || len(missing)+len(missingGroups) > 0
	group.TouchBy(c.Address)
	if group.Action == report.Affects {
		group.Action = report.Update
	}
	if len(taken)+len(takenGroups) > 0 {
		group.MayStay = true
		b.unknown(access.OneThing, "People who were members before %s listed them stay, and no plan shows who they are: some of those counted as leaving might stay.", c.Address)
	}
}

// merged returns IDs with some added and some removed.
func merged(ids, put, taken []int64) []int64 {
	all := append(slices.Clone(ids), put...)
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(id int64) bool { return slices.Contains(taken, id) && !slices.Contains(put, id) })
}
