package permission

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// People is an immutable set of people and bots of one organization. The zero value is empty.
type People struct {
	roster *roster
	set    sets.Bits
}

// roster assigns everyone in an organization a place, the index of the user's bit in every set. Deactivated users also
// have a place, but are in no result.
type roster struct {
	users  []*zulip.User // ascending by ID
	places map[int64]int
	guests sets.Bits // all guests, active or not
}

// newRoster leaves out the server's own bots, to which permissions do not apply.
func newRoster(users []*zulip.User) *roster {
	r := &roster{users: make([]*zulip.User, 0, len(users)), places: make(map[int64]int, len(users))}
	for _, user := range users {
		if !user.IsSystemBot {
			r.users = append(r.users, user)
		}
	}
	slices.SortFunc(r.users, func(a, b *zulip.User) int { return int(a.ID - b.ID) })
	for place, user := range r.users {
		r.places[user.ID] = place
	}
	return r
}

// Has reports whether the set contains the user with this ID.
func (p People) Has(id int64) bool {
	if p.roster == nil {
		return false
	}
	place, ok := p.roster.places[id]
	return ok && p.set.Has(place)
}

// Len returns the number of people in the set.
func (p People) Len() int { return p.set.Len() }

// Guests returns the number of guests in the set.
func (p People) Guests() int {
	if p.roster == nil {
		return 0
	}
	return p.set.And(p.roster.guests).Len()
}

// IsEmpty reports whether the set is empty.
func (p People) IsEmpty() bool { return p.set.IsEmpty() }

// All iterates over the people in the set, ascending by ID.
func (p People) All() iter.Seq[*zulip.User] {
	return func(yield func(*zulip.User) bool) {
		for place := range p.set.All() {
			if !yield(p.roster.users[place]) {
				return
			}
		}
	}
}

// Where returns those in the set who satisfy a condition.
func (p People) Where(is func(*zulip.User) bool) People {
	if p.roster == nil {
		return p
	}
	some := sets.NewBits(len(p.roster.users))
	for place := range p.set.All() {
		if is(p.roster.users[place]) {
			some.Add(place)
		}
	}
	return People{p.roster, some}
}

// Humans returns those in the set who are not bots.
func (p People) Humans() People {
	return p.Where(func(user *zulip.User) bool { return !user.IsBot })
}

// WithRoles returns those in the set who have one of some roles.
func (p People) WithRoles(roles ...zulip.Role) People {
	return p.Where(func(user *zulip.User) bool { return slices.Contains(roles, user.Role) })
}

// IDs returns the IDs in the set, ascending.
func (p People) IDs() []int64 {
	ids := make([]int64, 0, p.Len())
	for user := range p.All() {
		ids = append(ids, user.ID)
	}
	return ids
}

// Minus returns those who are in this set and not in the other, which is of the same
// organization.
func (p People) Minus(other People) People {
	return People{p.roster, p.set.Minus(other.set)}
}

// Or returns the people in either set, which are of the same organization.
func (p People) Or(other People) People {
	return People{cmp.Or(p.roster, other.roster), p.set.Or(other.set)}
}

// And returns those who are in both sets, which are of the same organization.
func (p People) And(other People) People { return People{p.roster, p.set.And(other.set)} }

// Equal reports whether both sets, of the same organization, contain the same people.
func (p People) Equal(other People) bool {
	return p.set.Equal(other.set)
}

// Key returns a key for a map of sets of one organization, which is the same for the same people.
func (p People) Key() string {
	set := p.set
	for len(set) > 0 && set[len(set)-1] == 0 {
		set = set[:len(set)-1]
	}
	key := make([]byte, 0, 8*len(set))
	for _, word := range set {
		key = binary.LittleEndian.AppendUint64(key, word)
	}
	return string(key)
}

// maxSettled is the maximum number of groups about which [Access.Settle] makes assumptions.
const maxSettled = 2

// Settle returns the organization under four assumptions about the unknown members of the groups in a value: none,
// all people, all bots, or both. It returns nil if all members are known or there are too many such groups.
//
// A user's permissions depend on their own groups, and a bot's on the groups of its owner. So the result for every existing
// account is that of one of these assumptions, whatever the members will be.
func (a *Access) Settle(value zulip.GroupSettingValue) (all []*Access) {
	groups, ok := a.unknownWithin(value)
	if !ok || len(groups) == 0 || len(groups) > maxSettled {
		return nil
	}
	all = []*Access{a}
	for _, group := range groups {
		var more []*Access
		var people, bots []int64
		among := a.unknownMembers[group.ID].among
		for user := range a.Everybody().All() {
			switch {
			case among != nil && !slices.Contains(among, user.ID):
			case user.IsBot:
				bots = append(bots, user.ID)
			default:
				people = append(people, user.ID)
			}
		}
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

// unknownWithin returns the groups of a value, at any depth, whose members are not completely known. ok is false if
// one of them has members that no change can set.
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
		if _, isUnknown := a.unknownMembers[id]; isUnknown {
			if group.IsSystemGroup {
				return nil, false
			}
			found = append(found, group)
		}
		next = append(next, group.DirectSubgroupIDs...)
	}
	return found, true
}
