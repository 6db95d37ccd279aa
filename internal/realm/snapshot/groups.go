package snapshot

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// UserGroups returns every group, ordered by ID, roles and deactivated ones included, by the names that they have now:
// deactivated ones keep theirs, and the server tells cases apart (server-behavior §G5).
func (s *Snapshot) UserGroups() *Index[zulip.UserGroup] { return s.facts.groups }

// UserGroup returns the group with an ID, roles included, as it is when this run is over: by the name that it then has.
func (s *Snapshot) UserGroup(id int64) (*zulip.UserGroup, bool) {
	group, ok := s.UserGroups().ByID(id)
	if !ok {
		return nil, false
	}
	if name, planned := s.planned.PlannedName(groupKind, id); planned && (name != group.Name || group.Deactivated) {
		later := *group
		later.Name = name
		later.Deactivated = false
		return &later, true
	}
	return group, true
}

// UserGroupByName returns the group that has a name when this run is over; the server tells cases apart
// (server-behavior §G5).
func (s *Snapshot) UserGroupByName(name string) (*zulip.UserGroup, bool) {
	if group, ok := s.UserGroups().ByName(name); ok {
		if later, _ := s.UserGroup(group.ID); later.Name == name || norm.NFC.String(later.Name) == name {
			return later, true
		}
	}
	id, _ := s.planned.PlannedID(groupKind, name)
	return s.UserGroup(id)
}

// SubgroupIDs returns the IDs of the groups that are directly in a group now.
func (s *Snapshot) SubgroupIDs(id int64) []int64 {
	group, ok := s.UserGroups().ByID(id)
	if !ok {
		return nil
	}
	return group.DirectSubgroupIDs
}

// AllSubgroups returns the IDs of the groups that are in a group, however deep, ascending and without itself.
func (s *Snapshot) AllSubgroups(group *zulip.UserGroup) []int64 {
	seen := map[int64]bool{group.ID: true}
	var all []int64
	for queue := slices.Clone(group.DirectSubgroupIDs); len(queue) > 0; queue = queue[1:] {
		below, ok := s.UserGroups().ByID(queue[0])
		if !ok || seen[below.ID] {
			continue
		}
		seen[below.ID] = true
		all = append(all, below.ID)
		queue = append(queue, below.DirectSubgroupIDs...)
	}
	slices.Sort(all)
	return all
}

// AllMembers returns the IDs of the people who are in a group, or in a group that is in it however deep, ascending.
func (s *Snapshot) AllMembers(group *zulip.UserGroup) []int64 {
	all := slices.Clone(group.Members)
	for _, id := range s.AllSubgroups(group) {
		below, _ := s.UserGroups().ByID(id)
		all = append(all, below.Members...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// GroupNames returns the names of the user groups that are not deactivated, without the roles.
func (s *Snapshot) GroupNames() []string { return s.groupNames(false) }

// RoleNames returns the names of the roles, as in role:members. Nobody puts those without an account into a group.
func (s *Snapshot) RoleNames() []string {
	var names []string
	for _, name := range s.groupNames(true) {
		if name != "internet" {
			names = append(names, "role:"+name)
		}
	}
	return names
}

// groupNames returns the names of the groups that are not deactivated: of the roles without "role:", or of the others.
func (s *Snapshot) groupNames(roles bool) []string {
	var names []string
	for _, group := range s.UserGroups().List() {
		if !group.Deactivated && group.IsSystemGroup == roles {
			names = append(names, strings.TrimPrefix(group.Name, "role:"))
		}
	}
	return names
}
