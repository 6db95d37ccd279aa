package permission

import (
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// maxSettled is of how many groups [Access.Settle] makes assumptions.
const maxSettled = 2

// Settle returns the organization under each assumption about the members, not known yet, of the groups that a value consists of: that
// there are none, all people, all bots, or both. What somebody can do depends on their own groups and, of bots, on those of their
// owners, so that whatever the members will be, each of those who have an account is like under one of these. It returns nil where
// all members are known, or where there are too many such groups.
func (a *Access) Settle(value zulip.GroupSettingValue) (all []*Access) {
	groups, ok := a.unknownWithin(value)
	if !ok || len(groups) == 0 || len(groups) > maxSettled {
		return nil
	}
	var people, bots []int64
	for user := range a.Everybody().All() {
		if user.IsBot {
			bots = append(bots, user.ID)
		} else {
			people = append(people, user.ID)
		}
	}
	all = []*Access{a}
	for _, group := range groups {
		var more []*Access
		for _, others := range [][]int64{nil, people, bots, slices.Concat(people, bots)} {
			membership := Membership{Members: slices.Concat(group.Members, others), Subgroups: group.DirectSubgroupIDs}
			for _, one := range all {
				more = append(more, one.With(Change{Groups: map[int64]Membership{group.ID: membership}}))
			}
		}
		all = more
	}
	return all
}

// unknownWithin returns the groups of a value, however deep, whose members are not completely known; ok is false if one of them has
// members that no change can set.
func (a *Access) unknownWithin(value zulip.GroupSettingValue) (found []*zulip.UserGroup, ok bool) {
	byID := make(map[int64]*zulip.UserGroup, len(a.facts.Groups))
	for _, group := range a.facts.Groups {
		byID[group.ID] = group
	}
	next := slices.Clone(value.DirectSubgroups)
	if value.IsNamed() {
		next = []int64{value.Group}
	}
	visited := map[int64]bool{}
	for len(next) > 0 {
		id := next[0]
		next = next[1:]
		group, there := byID[id]
		if !there || visited[id] {
			continue
		}
		visited[id] = true
		if unknown, isUnknown := a.unknownMembers[id]; isUnknown {
			if unknown.isBounded || group.IsSystemGroup {
				return nil, false
			}
			found = append(found, group)
		}
		next = append(next, group.DirectSubgroupIDs...)
	}
	return found, true
}
