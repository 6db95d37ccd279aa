package runstate

import "slices"

// MembershipChange is what this run changes about who is directly in a user group.
type MembershipChange struct {
	Add, Remove                   []int64 // people and bots
	AddSubgroups, RemoveSubgroups []int64
	// Unknown says that there will be others who are not known yet.
	Unknown bool
	// IsShared says that a resource beside that of the group changes it: what refers to the group's resource does not wait
	// for it.
	IsShared bool
}

// plannedMembership is what resources of this run change about one group: its own, and those that add to it.
type plannedMembership struct{ own, shared MembershipChange }

// PlanMembership registers what a resource of this run changes about who is in a user group. What the group's own resource
// registers takes the place of what it has registered before.
func (s *State) PlanMembership(group int64, change MembershipChange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.memberships == nil {
		s.memberships = map[int64]plannedMembership{}
	}
	planned := s.memberships[group]
	if change.IsShared {
		planned.shared = planned.shared.with(change)
	} else {
		planned.own = change
	}
	s.memberships[group] = planned
}

// PlannedMembership returns what this run changes about who is in a user group, as far as it has been planned.
func (s *State) PlannedMembership(group int64) (change MembershipChange, planned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, planned := s.memberships[group]
	return found.own.with(found.shared), planned
}

// with returns both changes as one. Who is added by one of them is not removed by the other.
func (c MembershipChange) with(other MembershipChange) MembershipChange {
	add, subgroups := union(c.Add, other.Add), union(c.AddSubgroups, other.AddSubgroups)
	return MembershipChange{
		Add: add, Remove: without(union(c.Remove, other.Remove), add),
		AddSubgroups: subgroups, RemoveSubgroups: without(union(c.RemoveSubgroups, other.RemoveSubgroups), subgroups),
		Unknown: c.Unknown || other.Unknown, IsShared: c.IsShared || other.IsShared,
	}
}

func union(a, b []int64) []int64 {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

func without(all, gone []int64) []int64 {
	return slices.DeleteFunc(all, func(id int64) bool {
		_, found := slices.BinarySearch(gone, id)
		return found
	})
}
