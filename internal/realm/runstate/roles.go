package runstate

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// Roles are the roles in the resources of a run. The resource that is planned
// second compares itself with the first, so the result does not depend on the order.
type Roles struct {
	mu     sync.Mutex
	single map[AccountKey][]SaidRole // by the first of the account's keys
	ending map[int64]string          // the role that the destroy of such a resource gives
	lists  map[string]*RoleList      // by role
	seen   map[string]listedFrom     // by role
}

// SaidRole is the role that a resource of one account sets.
type SaidRole struct {
	Account AccountKey
	Role    string
	// IsReturn is true if the resource reactivates the account with its existing role. Another resource can set another
	// role.
	IsReturn bool
	// TakesOver is true for a new resource to which the destroy of another one leaves the role.
	TakesOver bool
}

// RoleList is a resource that lists everyone with a role.
type RoleList struct {
	// Role is the listed role, and Users are the listed users.
	Role  string
	Users []AccountKey
	// IsWhole is true if every element of the list is known.
	IsWhole bool
	// IsNew is true if the resource has no state yet.
	IsNew bool

	index accountIndex // of the users
}

// listedFrom records the starting points of the planned lists of a role.
type listedFrom struct{ new, stored bool }

// names reports whether an account is listed.
func (l *RoleList) names(account AccountKey) bool {
	if l.index == nil {
		l.index = indexOf(l.Users)
	}
	return l.index.has(account)
}

// excludes reports whether a list contradicts the role of an account. The list is of another role and names the
// account, or is of the same role and does not name it. A list that removes the account does not: the resource gives its
// role before or after that.
func (l *RoleList) excludes(said SaidRole) bool {
	if l.Role == said.Role {
		return l.IsWhole && !l.names(said.Account)
	}
	return !said.IsReturn && l.names(said.Account)
}

// contradicts reports whether two resources of one account set different roles.
func (r SaidRole) contradicts(other SaidRole) bool {
	return r.Role != other.Role && !r.IsReturn && !other.IsReturn
}

// isUndoneBy reports whether the destroy of another resource, which gives a role, undoes what the resource sets.
func (r SaidRole) isUndoneBy(ending string) bool {
	return r.Role != ending && !r.IsReturn && !r.TakesOver
}

// RoleConflict is what contradicts a role: the list of a role, or a destroy that gives another role. If both are empty, it is
// another resource of the account.
type RoleConflict struct{ List, Ending string }

// Say registers that a resource of one account sets its role. ok is false if another resource contradicts it.
func (r *Roles) Say(role SaidRole) (other RoleConflict, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.single == nil {
		r.single = map[AccountKey][]SaidRole{}
	}
	keys := role.Account.keys()
	for _, key := range keys {
		if slices.ContainsFunc(r.single[key], role.contradicts) {
			return RoleConflict{}, false
		}
	}
	r.single[keys[0]] = append(r.single[keys[0]], role)
	for _, of := range slices.Sorted(maps.Keys(r.lists)) {
		if r.lists[of].excludes(role) {
			return RoleConflict{List: of}, false
		}
	}
	if ending, ends := r.ending[role.Account.ID]; ends && role.isUndoneBy(ending) {
		return RoleConflict{Ending: ending}, false
	}
	return RoleConflict{}, true
}

// End registers that the destroy of a resource of one account gives it a role. ok is false if another resource sets
// another role, or the list of another role names the account.
func (r *Roles) End(id int64, role string) (other RoleConflict, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ending == nil {
		r.ending = map[int64]string{}
	}
	r.ending[id] = role
	for _, of := range slices.Sorted(maps.Keys(r.lists)) {
		if of != role && r.lists[of].names(AccountKey{ID: id}) {
			return RoleConflict{List: of}, false
		}
	}
	return RoleConflict{}, !slices.ContainsFunc(r.single[AccountKey{ID: id}], func(said SaidRole) bool { return said.isUndoneBy(role) })
}

// List registers the users in a resource that lists everyone with a role. isFirst reports whether no other
// resource lists the same role. others are the conflicting roles in other resources, sorted by account. ending are
// the roles that those users get when another resource is destroyed.
func (r *Roles) List(list RoleList) (others []SaidRole, ending map[int64]string, isFirst bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lists == nil {
		r.lists, r.seen = map[string]*RoleList{}, map[string]listedFrom{}
	}
	// Terraform plans a replaced resource once with its state and once without.
	seen := r.seen[list.Role]
	before, isListed := r.lists[list.Role]
	isAgain := list.IsNew && seen.new || !list.IsNew && seen.stored
	isFirst = !isListed || !isAgain && Accounts(before.Users).equals(Accounts(list.Users))
	r.seen[list.Role] = listedFrom{seen.new || list.IsNew, seen.stored || !list.IsNew}
	if isFirst {
		r.lists[list.Role] = &list
	}
	for _, all := range r.single {
		if i := slices.IndexFunc(all, list.excludes); i >= 0 {
			others = append(others, all[i])
		}
	}
	ending = map[int64]string{}
	for id, role := range r.ending {
		if role != list.Role && list.names(AccountKey{ID: id}) {
			ending[id] = role
		}
	}
	for _, other := range r.lists {
		for _, account := range list.Users {
			if other.Role != list.Role && other.names(account) {
				others = append(others, SaidRole{Account: account, Role: other.Role})
			}
		}
	}
	slices.SortFunc(others, func(a, b SaidRole) int {
		return cmp.Or(cmp.Compare(a.Account.ID, b.Account.ID), cmp.Compare(a.Account.Email, b.Account.Email))
	})
	return slices.CompactFunc(others, func(a, b SaidRole) bool { return a.Account == b.Account }), ending, isFirst
}
