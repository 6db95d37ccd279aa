package runstate

import (
	"maps"
	"slices"
)

// roles are what the resources of a run say of roles, and which roles the run has given. What two resources say is compared by
// whichever is planned second, so that it holds in any order.
type roles struct {
	single map[int64]SaidRole    // by account
	ending map[int64]string      // the role that the end of such a resource gives
	lists  map[string]*RoleList  // by role
	given  map[int64]int         // the last that this run has given, as the server writes it
	seen   map[string]listedFrom // by role
}

// SaidRole is the role that a resource of one account gives it.
type SaidRole struct {
	Role string
	// IsAnyOrder says that the resource gives it whatever another one of this run has given before, so that a list may take the account
	// out in the same apply.
	IsAnyOrder bool
}

// RoleList is what a resource says that lists who has a role.
type RoleList struct {
	// Role is the role, and DemoteTo the one of those who are taken out.
	Role, DemoteTo string
	// Users are those who are listed, and Leaving those who are taken out.
	Users, Leaving []int64
	// IsWhole says that nobody else is listed: every element is known.
	IsWhole bool
	// IsNew says that the resource has no state yet.
	IsNew bool
}

// listedFrom says where the lists of a role were planned from.
type listedFrom struct{ new, stored bool }

// names reports whether somebody is listed.
func (l *RoleList) names(id int64) bool { return slices.Contains(l.Users, id) }

// excludes reports whether a list says otherwise of an account: it is the list of another role that names the account, or takes it
// out and gives it a third one, or the list of the same role, and does not name it.
func (l *RoleList) excludes(id int64, said SaidRole) bool {
	if l.Role == said.Role {
		return l.IsWhole && !l.names(id)
	}
	return l.names(id) || !said.IsAnyOrder && slices.Contains(l.Leaving, id) && l.DemoteTo != said.Role
}

// SayRole registers that a resource of one account gives it a role. It returns the role of the list that says otherwise, and
// whether no resource does; the role is empty if another resource of the account does.
func (s *State) SayRole(id int64, role SaidRole) (list string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.roles.single == nil {
		s.roles.single = map[int64]SaidRole{}
	}
	said, isSaid := s.roles.single[id]
	if !isSaid {
		s.roles.single[id] = role
	}
	if isSaid && said.Role != role.Role {
		return "", false
	}
	for _, of := range slices.Sorted(maps.Keys(s.roles.lists)) {
		if s.roles.lists[of].excludes(id, role) {
			return of, false
		}
	}
	return "", true
}

// EndRole registers that the end of a resource of one account gives it a role. It returns the role of the list that names the account and
// is of another one, and whether there is none.
func (s *State) EndRole(id int64, role string) (list string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.roles.ending == nil {
		s.roles.ending = map[int64]string{}
	}
	s.roles.ending[id] = role
	for _, of := range slices.Sorted(maps.Keys(s.roles.lists)) {
		if of != role && s.roles.lists[of].names(id) {
			return of, false
		}
	}
	return "", true
}

// ListRole registers who has a role by a resource that lists everybody. isFirst says that no other resource lists the same role, others
// are those whom another resource gives or lists otherwise, ascending, and ending the roles that others get of them by the end of a
// resource.
func (s *State) ListRole(list RoleList) (others []int64, ending map[int64]string, isFirst bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.roles.lists == nil {
		s.roles.lists, s.roles.seen = map[string]*RoleList{}, map[string]listedFrom{}
	}
	// The CLI plans a resource that it replaces once with its state and once without.
	seen := s.roles.seen[list.Role]
	before, isListed := s.roles.lists[list.Role]
	isAgain := list.IsNew && seen.new || !list.IsNew && seen.stored
	isFirst = !isListed || !isAgain && slices.Equal(before.Users, list.Users)
	s.roles.seen[list.Role] = listedFrom{seen.new || list.IsNew, seen.stored || !list.IsNew}
	if isFirst {
		s.roles.lists[list.Role] = &list
	}
	for id, said := range s.roles.single {
		if list.excludes(id, said) {
			others = append(others, id)
		}
	}
	ending = map[int64]string{}
	for id, role := range s.roles.ending {
		if role != list.Role && list.names(id) {
			ending[id] = role
		}
	}
	for _, other := range s.roles.lists {
		for _, id := range list.Users {
			if other.Role != list.Role && other.names(id) {
				others = append(others, id)
			}
		}
	}
	slices.Sort(others)
	return slices.Compact(others), ending, isFirst
}

// GaveRole registers a role that this run has given, as the server writes it.
func (s *State) GaveRole(id int64, role int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.roles.given == nil {
		s.roles.given = map[int64]int{}
	}
	s.roles.given[id] = role
}

// HasGivenRole reports whether a role is the last that this run has given somebody: then nobody else has changed it since.
func (s *State) HasGivenRole(id int64, role int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	given, ok := s.roles.given[id]
	return ok && given == role
}
