package rules

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// GroupValue is a group-setting value (server-behavior §P1): one named group, or a list of direct members and subgroups.
// Lists are ascending and without duplicates, except in a request, which keeps the lists as sent.
type GroupValue struct {
	Group     int   // 0: not a named group
	Members   []int // when Group is 0
	Subgroups []int // when Group is 0
}

// Named returns the value that is one named group.
func Named(group int) GroupValue { return GroupValue{Group: group} }

// Listed returns the value that lists members and subgroups, sorted and without
// duplicates.
func Listed(members, subgroups []int) GroupValue {
	return GroupValue{Members: sortedSet(members), Subgroups: sortedSet(subgroups)}
}

// MarshalJSON writes the value as the API sends it.
func (v GroupValue) MarshalJSON() ([]byte, error) {
	if v.Group != 0 {
		return json.Marshal(v.Group)
	}
	return json.Marshal(groupValueLists{sortedSet(v.Members), sortedSet(v.Subgroups)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *GroupValue) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &v.Group) == nil {
		return nil
	}
	var lists groupValueLists
	if err := json.Unmarshal(data, &lists); err != nil {
		return err
	}
	*v = Listed(lists.Members, lists.Subgroups)
	return nil
}

type groupValueLists struct {
	Members   []int `json:"direct_members"`
	Subgroups []int `json:"direct_subgroups"`
}

// PermissionChange is the change of one permission in a PATCH: the new value and, optionally, the value that the caller
// expects now.
type PermissionChange struct {
	New GroupValue
	Old *GroupValue
}

// rawLists returns a list for an answer, in the order and number of the request.
func (v GroupValue) rawLists() any { return groupValueLists{v.Members, v.Subgroups} }

// canonical collapses a value like the server does with values of a request, but not with shown values (server-behavior
// §P2). A group that is named twice counts as two.
func (o *Organization) canonical(v GroupValue) GroupValue {
	switch {
	case v.Group != 0:
		return v
	case len(v.Members)+len(v.Subgroups) == 0:
		return Named(o.SystemGroup(Nobody))
	case len(v.Members) == 0 && len(v.Subgroups) == 1:
		return Named(v.Subgroups[0])
	}
	return Listed(v.Members, v.Subgroups)
}

// Shown returns the value for reads: without deactivated people, in the stored form.
func (o *Organization) Shown(v GroupValue) GroupValue {
	if v.Group != 0 {
		return v
	}
	return GroupValue{Members: o.activeOnly(v.Members), Subgroups: v.Subgroups}
}

func (v GroupValue) equal(w GroupValue) bool {
	return v.Group == w.Group && slices.Equal(v.Members, w.Members) && slices.Equal(v.Subgroups, w.Subgroups)
}

// changePermission compares and checks one requested change against the stored value. It returns the value to store and
// whether it differs. The old value of a request is compared with the shown value, not with the stored one. Therefore a
// value that hides people can become impossible to match.
func (o *Organization) changePermission(stored GroupValue, c PermissionChange) (GroupValue, bool, error) {
	shown := o.Shown(stored)
	if c.Old != nil && !o.canonical(*c.Old).equal(shown) {
		return GroupValue{}, false, &Error{
			Code:  "EXPECTATION_MISMATCH",
			Msg:   "'old' value does not match the expected value.",
			Extra: map[string]any{"field_name": "old"},
		}
	}
	value := o.canonical(c.New)
	return value, !value.equal(shown), nil
}

// checkValue refuses a value that the setting does not allow. It checks the allowed system groups only in the named form,
// and not in lists.
func (o *Organization) checkValue(p Permission, v GroupValue) error {
	if v.Group == 0 {
		if p.RequireSystem {
			return systemGroupRequired(p.Name)
		}
		return o.checkListed(v)
	}
	g, ok := o.Groups.Get(v.Group)
	switch {
	case !ok:
		return Refuse("Invalid user group")
	case g.Deactivated:
		return errGroupDeactivated
	case p.RequireSystem && !g.System:
		return systemGroupRequired(p.Name)
	case !g.System:
		return nil
	}
	refused := !p.AllowInternet && g.Name == Internet ||
		!p.AllowNobody && g.Name == Nobody ||
		!p.AllowEveryone && g.Name == Everyone ||
		len(p.AllowedSystem) > 0 && !slices.Contains(p.AllowedSystem, g.Name)
	if refused {
		return Refuse("'%s' setting cannot be set to '%s' group.", p.Name, g.Name)
	}
	return nil
}

func (o *Organization) checkListed(v GroupValue) error {
	for _, id := range v.Members {
		if u, ok := o.Users.Get(id); !ok || !u.Active {
			return Refuse("Invalid user ID: %d", id)
		}
	}
	for _, id := range v.Subgroups {
		g, ok := o.Groups.Get(id)
		if !ok {
			return Refuse("Invalid user group ID: %d", id)
		}
		if g.Deactivated {
			return errGroupDeactivated
		}
	}
	return nil
}

// newValue canonicalizes and checks the value of a new object's permission.
func (o *Organization) newValue(p Permission, v GroupValue) (GroupValue, error) {
	v = o.canonical(v)
	return v, o.checkValue(p, v)
}

// defaultValue is the value of a permission that the creator does not set.
func (o *Organization) defaultValue(p Permission, creator User) GroupValue {
	if p.Default == Creator {
		return Listed([]int{creator.ID}, nil)
	}
	return Named(o.SystemGroup(p.Default))
}

// names reports whether the value names the group, directly or in its list.
func (v GroupValue) names(group int) bool {
	return v.Group == group || slices.Contains(v.Subgroups, group)
}

func systemGroupRequired(setting string) *Error {
	return &Error{
		Code:  "SYSTEM_GROUP_REQUIRED",
		Msg:   fmt.Sprintf("'%s' must be a system user group.", setting),
		Extra: map[string]any{"setting_name": setting},
	}
}

func (o *Organization) activeOnly(ids []int) []int {
	active := make([]int, 0, len(ids))
	for _, id := range ids {
		if u, ok := o.Users.Get(id); ok && u.Active {
			active = append(active, id)
		}
	}
	return active
}

// sortedSet returns the numbers ascending and once each, never nil.
func sortedSet(ids []int) []int {
	set := append([]int{}, ids...)
	slices.Sort(set)
	return slices.Compact(set)
}

// membershipIndex finds the groups of a person, directly or through subgroups, without walking every group.
type membershipIndex struct {
	directOf    map[int]map[int]bool // person → custom groups
	supergroups map[int]map[int]bool // group → groups that contain it
	system      map[string]int       // name → id
	cache       map[int]map[int]bool // person → all groups, for one request
}

func (m *membershipIndex) forget() { m.cache = map[int]map[int]bool{} }

func (o *Organization) indexMembership() {
	m := &o.membership
	m.directOf, m.supergroups, m.system = map[int]map[int]bool{}, map[int]map[int]bool{}, map[string]int{}
	m.forget()
	o.Groups.index(func(id int, before, after *UserGroup) {
		m.forget()
		if before != nil {
			for _, user := range before.Members {
				delete(m.directOf[user], id)
			}
			for _, sub := range before.Subgroups {
				delete(m.supergroups[sub], id)
			}
		}
		if after != nil {
			for _, user := range after.Members {
				addTo(m.directOf, user, id)
			}
			for _, sub := range after.Subgroups {
				addTo(m.supergroups, sub, id)
			}
			if after.System {
				m.system[after.Name] = id
			}
		}
	})
	o.Users.index(func(int, *User, *User) { m.forget() })
	o.Realm.index(func(int, *Realm, *Realm) { m.forget() })
}

func addTo(sets map[int]map[int]bool, key, member int) {
	if sets[key] == nil {
		sets[key] = map[int]bool{}
	}
	sets[key][member] = true
}

// SystemGroup returns the id of a system group by its name.
func (o *Organization) SystemGroup(name string) int { return o.membership.system[name] }

// GroupsOf returns every group a person is in, directly or through subgroups.
// The caller must not change the map.
func (o *Organization) GroupsOf(u User) map[int]bool {
	if all, ok := o.membership.cache[u.ID]; ok {
		return all
	}
	all := map[int]bool{}
	var climb func(group int)
	climb = func(group int) {
		if all[group] {
			return
		}
		all[group] = true
		for super := range o.membership.supergroups[group] {
			climb(super)
		}
	}
	for group := range o.membership.directOf[u.ID] {
		climb(group)
	}
	for _, name := range o.systemGroupsOf(u) {
		climb(o.SystemGroup(name))
	}
	o.membership.cache[u.ID] = all
	return all
}

// systemGroupsOf returns the system groups that contain a person directly (server-behavior §P8).
func (o *Organization) systemGroupsOf(u User) []string {
	switch u.Role {
	case RoleOwner:
		return []string{Owners}
	case RoleAdministrator:
		return []string{Administrators}
	case RoleModerator:
		return []string{Moderators}
	case RoleGuest:
		return []string{Everyone}
	}
	if o.pastWaitingPeriod(u) {
		return []string{FullMembers, Members}
	}
	return []string{Members}
}

func (o *Organization) pastWaitingPeriod(u User) bool {
	threshold := time.Duration(o.Settings().WaitingPeriodThreshold) * 24 * time.Hour
	return o.now().Sub(u.DateJoined) >= threshold
}

// Has reports whether the value gives the permission to the person. If a permission excludes everyone, guests never have it
// (server-behavior §P6).
func (o *Organization) Has(u User, p Permission, v GroupValue) bool {
	if !p.AllowEveryone && u.IsGuest() {
		return false
	}
	return o.In(u, v)
}

// In reports whether the value contains the person, directly or through groups.
func (o *Organization) In(u User, v GroupValue) bool {
	if v.Group == 0 && slices.Contains(v.Members, u.ID) {
		return true
	}
	groups := o.GroupsOf(u)
	if v.Group != 0 {
		return groups[v.Group]
	}
	return slices.ContainsFunc(v.Subgroups, func(g int) bool { return groups[g] })
}

// DirectMembers returns the active direct members of a group, ascending.
func (o *Organization) DirectMembers(g UserGroup) []int {
	if !g.System {
		return o.activeOnly(g.Members)
	}
	members := []int{}
	for id, u := range o.Users.All() {
		if u.Active && slices.Contains(o.systemGroupsOf(u), g.Name) {
			members = append(members, id)
		}
	}
	return members
}

// AllMembers returns the active direct and indirect members of a group, ascending.
func (o *Organization) AllMembers(g UserGroup) []int {
	members := o.DirectMembers(g)
	for _, id := range o.AllSubgroups(g) {
		if sub, ok := o.Groups.Get(id); ok {
			members = append(members, o.DirectMembers(sub)...)
		}
	}
	return sortedSet(members)
}

// AllSubgroups returns the direct and indirect subgroups of a group, ascending and without itself.
func (o *Organization) AllSubgroups(g UserGroup) []int {
	seen := map[int]bool{g.ID: true}
	below := []int{}
	var descend func(UserGroup)
	descend = func(g UserGroup) {
		for _, id := range g.Subgroups {
			if seen[id] {
				continue
			}
			seen[id] = true
			below = append(below, id)
			if sub, ok := o.Groups.Get(id); ok {
				descend(sub)
			}
		}
	}
	descend(g)
	return sortedSet(below)
}
