package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// collectGroups records the changes of user groups: first which there will be, then who is in them, then who may do what
// with them.
func (b *builder) collectGroups() {
	groups := b.of("zulip_user_group")
	ids := map[*plan.Change]int64{}
	for _, change := range groups {
		if id, ok := b.startGroup(change); ok {
			ids[change] = id
		}
	}
	for _, change := range groups {
		if id, ok := ids[change]; ok {
			b.listedMembers(change, id)
		}
	}
	for _, change := range b.of("zulip_user_group_membership") {
		b.membership(change)
	}
	for _, change := range groups {
		if id, ok := ids[change]; ok {
			b.groupRights[id] = b.plannedRights(change, permission.UserGroups, b.currentPermissions(id))
		}
	}
}

// startGroup records that a group is created, renamed, changed or deactivated; ok is false if nothing is left of it to
// look at.
func (b *builder) startGroup(c *plan.Change) (id int64, ok bool) {
	before, after := c.Before(), c.After()
	if c.Does("delete") {
		if current, ok := b.currentGroup(before, "id"); ok && !current.Deactivated {
			b.group(current.ID, c.Address).Action = report.Deactivate
		}
		return 0, false
	}
	name, known := after.Text("name")
	if c.Does("create") {
		if !known {
			b.addDoubt(fmt.Sprintf("The name of %s is not known yet.", c.Address))
		}
		current, there := b.org.UserGroups().ByName(name)
		switch {
		case known && there && b.isReplaced(c, current.ID):
			b.group(current.ID).Action = report.Replace
			return current.ID, true
		case known && there && current.Deactivated && after.IsTrue("adopt_deactivated"):
			back := *current
			back.Deactivated = false
			b.org.groups[current.ID] = &back
			b.group(current.ID, c.Address).Action = report.Reactivate
			return current.ID, true
		}
		id := b.org.nextID()
		b.org.groups[id] = &zulip.UserGroup{ID: id, Name: name}
		b.change.Groups[id] = permission.Membership{}
		b.unnamed[id] = !known
		b.group(id, c.Address).Action = report.Create
		return id, true
	}
	current, there := b.currentGroup(before, "id")
	switch {
	case !there && c.Does("update"):
		b.addUnseen(c)
		return 0, false
	case there && c.Does("forget") && !current.Deactivated:
		b.group(current.ID, c.Address).Action = report.Release
		return 0, false
	case !there || !c.Does("update"):
		return 0, false
	}
	b.unnamed[current.ID] = !known && after.IsUnknown("name") && c.IsSet("name")
	if known && name != current.Name {
		renamed := *current
		renamed.Name = name
		b.org.groups[current.ID] = &renamed
	}
	b.group(current.ID, c.Address).Action = report.Update
	return current.ID, true
}

// currentGroup finds the group whose ID an attribute is.
func (b *builder) currentGroup(m plan.Attributes, attribute string) (*zulip.UserGroup, bool) {
	id, ok := m.Number(attribute)
	if !ok {
		return nil, false
	}
	return b.org.UserGroups().ByID(id)
}

func (b *builder) currentPermissions(id int64) map[string]zulip.GroupSettingValue {
	if current, ok := b.org.UserGroups().ByID(id); ok {
		return current.Permissions
	}
	return nil
}

// group returns what the review says of a group, and notes who changes it.
func (b *builder) group(id int64, addresses ...string) *access.Group {
	group, ok := b.groups[id]
	if !ok {
		now, _ := b.org.UserGroup(id)
		group = &access.Group{ID: id, Name: now.Name}
		b.groups[id] = group
	}
	group.Addresses = append(group.Addresses, addresses...)
	return group
}

// plannedMembers are who will be in a group, as far as the plan has been read.
func (b *builder) plannedMembers(id int64) permission.Membership {
	if membership, ok := b.change.Groups[id]; ok {
		return membership
	}
	current, _ := b.org.UserGroups().ByID(id)
	return permission.Membership{Members: current.Members, Subgroups: current.DirectSubgroupIDs}
}

// listedMembers records who will be in a group, alone.
func (b *builder) listedMembers(c *plan.Change, id int64) {
	later := b.plannedMembers(id)
	members, unknown, ok := c.After().List("members")
	if was, _, had := c.Before().List("members"); ok && (!had || unknown || !slices.Equal(members, was)) && (c.IsSet("members") || !unknown) {
		ids, missing := b.org.findUsers(members)
		later.Members, later.Unknown = ids, later.Unknown || unknown || len(missing) > 0
		b.addMissing(c, missing)
	}
	subgroups, unknown, ok := c.After().List("subgroups")
	if was, _, had := c.Before().List("subgroups"); ok && (!had || unknown || !slices.Equal(subgroups, was)) && (c.IsSet("subgroups") || !unknown) {
		ids, missing := b.subgroups(subgroups)
		later.Subgroups, later.Unknown = ids, later.Unknown || unknown || len(missing) > 0
		b.addMissing(c, missing)
	}
	b.change.Groups[id] = later
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

// addMissing says whom a list names that is about one channel or group, and the organization does not have.
func (b *builder) addMissing(c *plan.Change, texts []string) {
	if len(texts) > 0 {
		b.addDoubt(missing(c, texts))
	}
}

// addMissingAnywhere is addMissing of somebody who may matter to any rule.
func (b *builder) addMissingAnywhere(c *plan.Change, texts []string) {
	if len(texts) > 0 {
		b.addUnknown(missing(c, texts))
	}
}

func missing(c *plan.Change, texts []string) string {
	return fmt.Sprintf("The organization does not have whom %s names, or does not show the account that reviews their addresses: %s.", c.Address, strings.Join(texts, ", "))
}

// membership records a zulip_user_group_membership. Whom it does not put into the group any more it takes out, unless
// they were there before it: that is kept where no plan shows it.
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
			b.addUnknown(fmt.Sprintf("Which group %s puts somebody into is not known yet.", c.Address))
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

// membershipGroup is the group that a membership which is yet to be created is about.
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
	address := c.RefersTo("group")
	for id, group := range b.groups {
		if id < 0 && address != "" && slices.Contains(group.Addresses, address) {
			return id, true
		}
	}
	return 0, false
}

// changeMembers puts people and groups into a group and takes others out.
func (b *builder) changeMembers(c *plan.Change, id int64, in, out, groupsIn, groupsOut []string, unknown bool) {
	if _, ok := b.org.UserGroup(id); !ok {
		b.addUnseen(c)
		return
	}
	later := b.plannedMembers(id)
	put, missing := b.org.findUsers(in)
	taken, _ := b.org.findUsers(out)
	putGroups, missingGroups := b.subgroups(groupsIn)
	takenGroups, _ := b.subgroups(groupsOut)
	b.addMissing(c, append(missing, missingGroups...))
	later.Members = merged(later.Members, put, taken)
	later.Subgroups = merged(later.Subgroups, putGroups, takenGroups)
	later.Unknown = later.Unknown || unknown || len(missing)+len(missingGroups) > 0
	b.change.Groups[id] = later
	group := b.group(id, c.Address)
	if group.Action == report.Affects {
		group.Action = report.Update
	}
	if len(taken)+len(takenGroups) > 0 {
		b.mayStay[id] = true
		b.addDoubt(fmt.Sprintf("Whoever was in the group before %s named them stays in it, and no plan shows who that is: those counted as leaving may stay.", c.Address))
	}
}

// merged returns IDs with some put in and some taken out.
func merged(ids, put, taken []int64) []int64 {
	all := append(slices.Clone(ids), put...)
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(id int64) bool { return slices.Contains(taken, id) && !slices.Contains(put, id) })
}

// compareGroups works out who is in which group, and who can do what with it.
func (b *builder) compareGroups() {
	for _, current := range b.org.UserGroups().List() {
		if current.IsSystemGroup || current.Deactivated && b.groups[current.ID] == nil {
			continue
		}
		was := &access.Group{
			ID: current.ID, Name: current.Name, People: b.before.In(zulip.NamedGroup(current.ID)),
			Members: b.memberValue(current.Members), Subgroups: groupValue(current.DirectSubgroupIDs, b.org.UserGroups().ByID),
			Rights: b.source(b.before).Rights(permission.UserGroups, permission.UserGroupSettings, current.Permissions, nil),
		}
		b.was.Groups = append(b.was.Groups, was)
		b.addGroup(current, was)
	}
	for _, id := range slices.Sorted(maps.Keys(b.org.groups)) {
		if id < 0 {
			b.addGroup(b.org.groups[id], &access.Group{})
		}
	}
}

// addGroup adds a group to the organization after the plan.
func (b *builder) addGroup(current *zulip.UserGroup, was *access.Group) {
	is := &access.Group{ID: current.ID}
	if named, ok := b.groups[current.ID]; ok {
		is = named
	}
	now, _ := b.org.UserGroup(current.ID)
	is.Name, is.Members, is.Subgroups = now.Name, was.Members, was.Subgroups
	if membership, changes := b.change.Groups[current.ID]; changes {
		is.Members, is.Subgroups, is.Unknown = b.memberValue(membership.Members), groupValue(membership.Subgroups, b.org.UserGroup), membership.Unknown
		is.Members.Unknown = is.Unknown
	}
	is.People = b.after.In(zulip.NamedGroup(current.ID))
	is.Rights = b.source(b.after).Rights(permission.UserGroups, permission.UserGroupSettings, current.Permissions, b.groupRights[current.ID])
	b.is.Groups = append(b.is.Groups, is)
	if is.Action != report.Deactivate && (!current.Deactivated || b.org.groups[current.ID] != nil) {
		b.groupsAfter = append(b.groupsAfter, b.groupFacts(now, current.Permissions))
	}
}

// groupFacts are those of a group after the plan.
func (b *builder) groupFacts(group *zulip.UserGroup, current map[string]zulip.GroupSettingValue) *access.GroupFacts {
	membership := b.plannedMembers(group.ID)
	facts := &access.GroupFacts{
		ID: group.ID, Name: group.Name, NameUnknown: b.unnamed[group.ID], Members: membership.Members, Subgroups: membership.Subgroups,
		Permissions: map[string]zulip.GroupSettingValue{}, Unknown: map[string]bool{},
	}
	maps.Copy(facts.Permissions, current)
	for name, planned := range b.groupRights[group.ID] {
		if facts.Permissions[name] = planned.Value; planned.Unknown {
			facts.Unknown[name] = true
		}
	}
	return facts
}

func (b *builder) memberValue(ids []int64) report.Value {
	texts := []string{}
	for _, id := range ids {
		if user, ok := b.org.User(id); ok {
			texts = append(texts, user.Address())
		}
	}
	slices.Sort(texts)
	return report.Value{Texts: texts}
}

func groupValue(ids []int64, find func(int64) (*zulip.UserGroup, bool)) report.Value {
	texts := []string{}
	for _, id := range ids {
		if group, ok := find(id); ok {
			texts = append(texts, group.Name)
		}
	}
	slices.Sort(texts)
	return report.Value{Texts: texts}
}
