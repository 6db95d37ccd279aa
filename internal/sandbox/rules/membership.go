package rules

import (
	"slices"
	"time"
)

// membershipIndex answers in which groups a person is, directly or through
// subgroups, without walking every group.
type membershipIndex struct {
	directOf    map[int]map[int]bool // person → custom groups
	supergroups map[int]map[int]bool // group → groups that hold it
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

// systemGroupsOf returns the system groups that hold a person directly
// (server-behavior §P8).
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

// Has reports whether the value gives the right to the person. A right that
// everyone cannot have is never a guest's (server-behavior §P6).
func (o *Organization) Has(u User, p Permission, v GroupValue) bool {
	if !p.AllowEveryone && u.IsGuest() {
		return false
	}
	return o.In(u, v)
}

// In reports whether the value holds the person, directly or through groups.
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

// DirectMembers returns the active people a group holds itself, ascending.
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

// AllMembers returns the active people in a group and the groups below it,
// ascending.
func (o *Organization) AllMembers(g UserGroup) []int {
	members := o.DirectMembers(g)
	for _, id := range o.AllSubgroups(g) {
		if sub, ok := o.Groups.Get(id); ok {
			members = append(members, o.DirectMembers(sub)...)
		}
	}
	return sortedSet(members)
}

// AllSubgroups returns the groups below a group, at any depth, ascending and
// without itself.
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
