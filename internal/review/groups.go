package review

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// collectGroups takes up the changes of user groups: first which there will be, then who is in them, then who may do what
// with them.
func (b *builder) collectGroups() {
	groups := b.of("zulip_user_group")
	ids := map[*change]int64{}
	for _, change := range groups {
		if id, ok := b.startGroup(change); ok {
			ids[change] = id
		}
	}
	for _, change := range groups {
		if id, ok := ids[change]; ok {
			b.contents(change, id)
		}
	}
	for _, change := range b.of("zulip_user_group_membership") {
		b.membership(change)
	}
	for _, change := range groups {
		if id, ok := ids[change]; ok {
			b.groupRights[id] = b.plannedRights(change, permission.UserGroups, b.heldRights(id))
		}
	}
}

// startGroup takes up that a group is created, renamed, changed or deactivated; ok is false if nothing is left of it to
// look at.
func (b *builder) startGroup(c *change) (id int64, ok bool) {
	before, after := c.before(), c.after()
	if c.does("delete") {
		if held, ok := b.heldGroup(before, "id"); ok && !held.Deactivated {
			b.group(held.ID, c.Address).Action = Deactivate
		}
	}
	name, known := after.text("name")
	if c.does("create") {
		if !known {
			b.unsure(fmt.Sprintf("The name of %s is not known yet.", c.Address))
		}
		if held, there := b.names.UserGroups().ByName(name); known && there && held.Deactivated && after.isTrue("adopt_deactivated") {
			back := *held
			back.Deactivated = false
			b.names.groups[held.ID] = &back
			b.group(held.ID, c.Address).Action = Reactivate
			return held.ID, true
		}
		id := b.names.next()
		b.names.groups[id] = &zulip.UserGroup{ID: id, Name: name}
		b.change.Groups[id] = permission.Membership{}
		b.group(id, c.Address).Action = Create
		return id, true
	}
	held, there := b.heldGroup(before, "id")
	switch {
	case !there && c.does("update"):
		b.unseen(c)
		return 0, false
	case there && c.does("forget") && !held.Deactivated:
		b.group(held.ID, c.Address).Action = Release
		return 0, false
	case !there || !c.does("update"):
		return 0, false
	}
	if known && name != held.Name {
		renamed := *held
		renamed.Name = name
		b.names.groups[held.ID] = &renamed
	}
	b.group(held.ID, c.Address).Action = Update
	return held.ID, true
}

// heldGroup finds the group whose ID an attribute is.
func (b *builder) heldGroup(m moment, attribute string) (*zulip.UserGroup, bool) {
	id, ok := m.number(attribute)
	if !ok {
		return nil, false
	}
	return b.names.UserGroups().ByID(id)
}

func (b *builder) heldRights(id int64) map[string]zulip.GroupSettingValue {
	if held, ok := b.names.UserGroups().ByID(id); ok {
		return held.Permissions
	}
	return nil
}

// group returns what the review says of a group, and notes who changes it.
func (b *builder) group(id int64, addresses ...string) *Group {
	group, ok := b.groups[id]
	if !ok {
		now, _ := b.names.UserGroup(id)
		group = &Group{ID: max(id, 0), Name: now.Name, Addresses: []string{}, Rights: []*Right{}}
		b.groups[id] = group
	}
	group.Addresses = append(group.Addresses, addresses...)
	return group
}

// direct is who will be in a group, as far as the plan has been read.
func (b *builder) direct(id int64) permission.Membership {
	if membership, ok := b.change.Groups[id]; ok {
		return membership
	}
	held, _ := b.names.UserGroups().ByID(id)
	return permission.Membership{Members: held.Members, Subgroups: held.DirectSubgroupIDs}
}

// contents takes up who will be in a group, alone.
func (b *builder) contents(c *change, id int64) {
	later := b.direct(id)
	members, unknown, ok := c.after().list("members")
	if was, _, had := c.before().list("members"); ok && (!had || unknown || !slices.Equal(members, was)) && (c.isSet("members") || !unknown) {
		ids, missing := b.names.people(members)
		later.Members, later.Unknown = ids, later.Unknown || unknown || len(missing) > 0
		b.missing(c, missing)
	}
	subgroups, unknown, ok := c.after().list("subgroups")
	if was, _, had := c.before().list("subgroups"); ok && (!had || unknown || !slices.Equal(subgroups, was)) && (c.isSet("subgroups") || !unknown) {
		ids, missing := b.subgroups(subgroups)
		later.Subgroups, later.Unknown = ids, later.Unknown || unknown || len(missing) > 0
		b.missing(c, missing)
	}
	b.change.Groups[id] = later
}

func (b *builder) subgroups(texts []string) (ids []int64, missing []string) {
	for _, text := range texts {
		if group, ok := b.names.group(text); ok {
			ids = append(ids, group.ID)
		} else {
			missing = append(missing, text)
		}
	}
	return ids, missing
}

func (b *builder) missing(c *change, texts []string) {
	if len(texts) > 0 {
		b.unsure(fmt.Sprintf("The organization does not have whom %s names, or does not show the account that reviews their addresses: %s.", c.Address, strings.Join(texts, ", ")))
	}
}

// membership takes up a zulip_user_group_membership. Whom it does not put into the group any more it takes out, unless
// they were there before it: that is kept where no plan shows it.
func (b *builder) membership(c *change) {
	was, is := c.before(), c.after()
	before, _, _ := was.list("members")
	after, unknown, _ := is.list("members")
	groupsBefore, _, _ := was.list("subgroups")
	groupsAfter, unknownGroups, _ := is.list("subgroups")
	if c.does("delete") {
		if id, ok := was.number("group_id"); ok {
			b.enrol(c, id, nil, before, nil, groupsBefore, false)
		}
	}
	switch {
	case c.does("create"):
		id, ok := b.target(c)
		if !ok {
			b.unsure(fmt.Sprintf("Which group %s puts somebody into is not known yet.", c.Address))
			return
		}
		b.enrol(c, id, after, nil, groupsAfter, nil, unknown || unknownGroups)
	case c.does("update"):
		if id, ok := is.number("group_id"); ok {
			b.enrol(c, id, after, minus(before, after), groupsAfter, minus(groupsBefore, groupsAfter), unknown || unknownGroups)
		}
	}
}

// target is the group that a membership which is yet to be created is about.
func (b *builder) target(c *change) (int64, bool) {
	if id, ok := c.after().number("group_id"); ok {
		return id, true
	}
	if text, ok := c.after().text("group"); ok {
		group, ok := b.names.group(text)
		if !ok {
			return 0, false
		}
		return group.ID, true
	}
	address := c.refersTo("group")
	for id, group := range b.groups {
		if id < 0 && address != "" && slices.Contains(group.Addresses, address) {
			return id, true
		}
	}
	return 0, false
}

// enrol puts people and groups into a group and takes others out.
func (b *builder) enrol(c *change, id int64, in, out, groupsIn, groupsOut []string, unknown bool) {
	if _, ok := b.names.UserGroup(id); !ok {
		return // it is gone
	}
	later := b.direct(id)
	put, missing := b.names.people(in)
	taken, _ := b.names.people(out)
	putGroups, missingGroups := b.subgroups(groupsIn)
	takenGroups, _ := b.subgroups(groupsOut)
	b.missing(c, append(missing, missingGroups...))
	later.Members = merged(later.Members, put, taken)
	later.Subgroups = merged(later.Subgroups, putGroups, takenGroups)
	later.Unknown = later.Unknown || unknown || len(missing)+len(missingGroups) > 0
	b.change.Groups[id] = later
	group := b.group(id, c.Address)
	if group.Action == Affects {
		group.Action = Update
	}
	if len(taken)+len(takenGroups) > 0 {
		b.unsure(fmt.Sprintf("Whoever was in the group before %s named them stays in it, and no plan shows who that is: those counted as leaving may stay.", c.Address))
	}
}

// merged returns IDs with some put in and some taken out.
func merged(ids, put, taken []int64) []int64 {
	all := append(slices.Clone(ids), put...)
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(id int64) bool { return slices.Contains(taken, id) && !slices.Contains(put, id) })
}

// minus returns the texts that are not among others.
func minus(texts, others []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return slices.Contains(others, text) })
}

// compareGroups says who comes into which group, and who gains and who loses which right over one.
func (b *builder) compareGroups() {
	all := b.names.UserGroups().List()
	for _, id := range slices.Sorted(maps.Keys(b.names.groups)) {
		if id < 0 {
			all = append(all, b.names.groups[id])
		}
	}
	for _, held := range all {
		if held.IsSystemGroup || held.Deactivated && b.groups[held.ID] == nil {
			continue
		}
		rights := b.rightsOver(held)
		if _, named := b.groups[held.ID]; !named && len(rights) == 0 {
			continue
		}
		group := b.group(held.ID)
		group.Rights = rights
		if now, _ := b.names.UserGroup(held.ID); now.Name != held.Name {
			group.OldName = held.Name
		}
		b.compareContents(group, held)
		b.review.Groups = append(b.review.Groups, group)
	}
	slices.SortStableFunc(b.review.Groups, func(x, y *Group) int {
		return cmp.Or(compareBools(len(y.Addresses) > 0, len(x.Addresses) > 0), strings.Compare(x.Name, y.Name))
	})
}

// compareContents says who comes into a group and who leaves it.
func (b *builder) compareContents(group *Group, held *zulip.UserGroup) {
	membership, changes := b.change.Groups[held.ID]
	value := zulip.NamedGroup(held.ID)
	was, is := b.before.In(value), b.after.In(value)
	group.Joins, group.Leaves = b.crowd.of(is.Minus(was)), b.crowd.of(was.Minus(is).Minus(b.gone()))
	if !changes {
		return
	}
	group.Unknown = membership.Unknown
	group.Members = Change{b.memberWords(held.Members), b.memberWords(membership.Members)}
	group.Subgroups = Change{groupWords(held.DirectSubgroupIDs, b.names.UserGroups().ByID), groupWords(membership.Subgroups, b.names.UserGroup)}
	if group.Action == Create {
		group.Members.Before, group.Subgroups.Before = Value{}, Value{}
	}
	group.Members.After.Unknown = membership.Unknown
}

func (b *builder) memberWords(ids []int64) Value {
	texts := []string{}
	for _, id := range ids {
		if user, ok := b.names.User(id); ok {
			texts = append(texts, user.Address())
		}
	}
	slices.Sort(texts)
	return Value{Words: texts}
}

func groupWords(ids []int64, find func(int64) (*zulip.UserGroup, bool)) Value {
	texts := []string{}
	for _, id := range ids {
		if group, ok := find(id); ok {
			texts = append(texts, group.Name)
		}
	}
	slices.Sort(texts)
	return Value{Words: texts}
}

// rightsOver compares who may do what with a group.
func (b *builder) rightsOver(held *zulip.UserGroup) []*Right {
	rights := []*Right{}
	for _, setting := range permission.UserGroupSettings {
		before, has := held.Permissions[setting.Name]
		planned, changes := b.groupRights[held.ID][setting.Name]
		if !has && !changes {
			continue
		}
		after := before
		if changes {
			after = planned.value
		}
		if right := b.holders(permission.UserGroups, setting, before, after, planned, changes); right != nil {
			right.locksOut = setting.Name == "can_manage_group" && slices.ContainsFunc(right.Lose.Accounts, b.cannotManage)
			rights = append(rights, right)
		}
	}
	return rights
}

// cannotManage reports whether somebody is the account the provider uses, and cannot manage every group anyway.
func (b *builder) cannotManage(account *Account) bool {
	all := b.names.Realm().Permissions["can_manage_all_groups"]
	if planned, changes := b.realmRights["can_manage_all_groups"]; changes {
		all = planned.value
	}
	return account.IsSelf && !b.after.In(all).Has(account.ID)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
