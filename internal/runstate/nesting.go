package runstate

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
)

// GroupKey tells a user group from others in a plan: by its ID, or for one that is yet to be created by its name.
type GroupKey struct {
	ID   int64
	Name string
}

// nesting is which user groups this run puts into which, as far as it has been planned.
type nesting struct {
	below     map[GroupKey]map[GroupKey]bool
	exclusive map[GroupKey]bool // no other groups stay in it than those that are planned
}

// ManageMembership registers that a resource manages a list of a user group, `members` or `subgroups`: exclusively, or
// beside others. It reports false if another resource of the run manages it otherwise.
func (s *State) ManageMembership(group GroupKey, list string, exclusive bool) bool {
	return s.Declare("membership "+list+" "+group.Name, group.ID, strconv.FormatBool(exclusive))
}

// Nest registers user groups that this run puts into a group; exclusive tells whether no other stays in it.
func (s *State) Nest(group GroupKey, below []GroupKey, exclusive bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := &s.nesting
	if n.below == nil {
		n.below, n.exclusive = map[GroupKey]map[GroupKey]bool{}, map[GroupKey]bool{}
	}
	if n.below[group] == nil {
		n.below[group] = map[GroupKey]bool{}
	}
	for _, one := range below {
		n.below[group][one] = true
	}
	if exclusive {
		n.exclusive[group] = true
	}
}

// Cycle returns a way from a user group back to itself through the groups that are in it when this run is over, as far as
// it has been planned; nil if there is none. current returns the groups that are directly in a group now.
func (s *State) Cycle(group GroupKey, current func(id int64) []int64) []GroupKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	from := map[GroupKey]GroupKey{}
	for queue := []GroupKey{group}; len(queue) > 0; queue = queue[1:] {
		for _, below := range s.nesting.planned(queue[0], current) {
			if below == group {
				way := []GroupKey{group}
				for at := queue[0]; at != group; at = from[at] {
					way = append(way, at)
				}
				way = append(way, group)
				slices.Reverse(way)
				return way
			}
			if _, seen := from[below]; !seen {
				from[below] = queue[0]
				queue = append(queue, below)
			}
		}
	}
	return nil
}

// planned returns the groups that are directly in a group when the run is over.
func (n *nesting) planned(group GroupKey, current func(id int64) []int64) []GroupKey {
	all := slices.Collect(maps.Keys(n.below[group]))
	if group.ID != 0 && !n.exclusive[group] {
		for _, id := range current(group.ID) {
			all = append(all, GroupKey{ID: id})
		}
	}
	slices.SortFunc(all, func(a, b GroupKey) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Name, b.Name)) })
	return all
}
