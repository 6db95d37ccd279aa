package report

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"math/bits"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// People is a set of accounts. Equal sets are the same pointer. The zero value is empty.
type People struct {
	// Guests are those among them who are guests when they gain it, or lose it: after the plan, or before.
	Guests int
	Bots   int

	order  *Order
	places places
	length int
}

// Order is everyone who can be in a set, those first who are surprised most: the provider's account, guests, bots, then
// people by role. The sets of a report share one: a set of thousands is a bit for each of them.
type Order struct{ accounts []*Account }

// NewOrder returns an order of accounts that are in it already.
func NewOrder(accounts []*Account) *Order { return &Order{accounts} }

// People returns the set of those at some places of the order, each of which is below the number of accounts.
func (o *Order) People(all iter.Seq[int]) *People {
	set := &People{order: o, places: newPlaces(len(o.accounts))}
	for place := range all {
		set.places.add(place)
	}
	for account := range set.All() {
		set.length++
		if account.Role == "guest" {
			set.Guests++
		}
		if account.IsBot {
			set.Bots++
		}
	}
	return set
}

// PeopleOf returns a set of accounts with an order of its own, in which they are given.
func PeopleOf(accounts ...*Account) *People {
	return NewOrder(accounts).People(func(yield func(int) bool) {
		for place := range accounts {
			if !yield(place) {
				return
			}
		}
	})
}

// Len is how many there are; none are in nil.
func (p *People) Len() int {
	if p == nil {
		return 0
	}
	return p.length
}

// All gives all of them, those first who are surprised most.
func (p *People) All() iter.Seq[*Account] {
	return func(yield func(*Account) bool) {
		if p == nil {
			return
		}
		for place := range p.places.all() {
			if !yield(p.order.accounts[place]) {
				return
			}
		}
	}
}

// First returns so many of them at most, those who are surprised most.
func (p *People) First(most int) []*Account {
	first := make([]*Account, 0, min(most, p.Len()))
	for account := range p.All() {
		if len(first) == cap(first) {
			break
		}
		first = append(first, account)
	}
	return first
}

// IDs lists their IDs, in the same order.
func (p *People) IDs() []int64 {
	ids := make([]int64, 0, p.Len())
	for account := range p.All() {
		ids = append(ids, account.ID)
	}
	return ids
}

func (p *People) bots() (bots []*Account) {
	for account := range p.All() {
		if account.IsBot {
			bots = append(bots, account)
		}
	}
	return bots
}

// Some reports whether something is so of one of them.
func (p *People) Some(is func(*Account) bool) bool {
	for account := range p.All() {
		if is(account) {
			return true
		}
	}
	return false
}

// Has reports whether an account is among them, by ID.
func (p *People) Has(id int64) bool {
	return p.Some(func(account *Account) bool { return account.ID == id })
}

// MarshalJSON writes them as a review has them.
func (p *People) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		IDs    []int64 `json:"ids"`
		Guests int     `json:"guests"`
		Bots   int     `json:"bots"`
	}{p.IDs(), p.Guests, p.Bots})
}

// places is a set of places in an order, a bit for each.
type places []uint64

const wordSize = 64

func newPlaces(count int) places { return make(places, (count+wordSize-1)/wordSize) }

func (p places) add(place int) { p[place/wordSize] |= 1 << (place % wordSize) }

func (p places) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range p {
			for ; word != 0; word &= word - 1 {
				if !yield(i*wordSize + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// Account is a person or a bot.
type Account struct {
	// ID is negative for one that the plan creates.
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	// Role is what it is before the plan: owner, administrator, moderator, member, guest.
	Role  string `json:"role"`
	IsBot bool   `json:"is_bot"`
	// IsSelf is true for the provider's account.
	IsSelf bool `json:"is_self"`
}

// PeopleSets makes the sets of people of a report, each once, however many channels they gain something in.
type PeopleSets struct {
	self     int64
	sets     map[setKey]*People
	accounts map[int64]*Account
	order    *Order
	// users are everyone in the order, and placeOf their places by ID.
	users   []*zulip.User
	placeOf map[int64]int
}

// setKey is the same for the same people. The same ones can be guests in one of two states of an organization only.
type setKey struct {
	people string
	guests int
}

// NewPeopleSets returns sets of people, among whom the provider's account has the ID self.
func NewPeopleSets(self int64) *PeopleSets {
	return &PeopleSets{self: self, sets: map[setKey]*People{}, accounts: map[int64]*Account{}, order: &Order{}}
}

// SetEverybody takes everyone who can be in a set. Call it before [PeopleSets.Of].
func (s *PeopleSets) SetEverybody(users []*zulip.User) {
	report := permission.Report{Self: s.self}
	s.users = slices.SortedStableFunc(slices.Values(users), func(a, b *zulip.User) int {
		return cmp.Or(cmp.Compare(report.SurpriseRank(a), report.SurpriseRank(b)), cmp.Compare(a.ID, b.ID))
	})
	s.order.accounts, s.placeOf = make([]*Account, len(users)), make(map[int64]int, len(users))
	for place, user := range s.users {
		s.placeOf[user.ID] = place
	}
}

// Of returns a set, never nil. Its guests are the guests in the organization's state that it was computed from.
func (s *PeopleSets) Of(people permission.People) *People {
	key := setKey{people.Key(), people.Guests()}
	if known, ok := s.sets[key]; ok {
		return known
	}
	set := s.order.People(func(yield func(int) bool) {
		for user := range people.All() {
			place, ok := s.placeOf[user.ID]
			if !ok {
				continue
			}
			s.order.accounts[place] = s.Account(s.users[place])
			if !yield(place) {
				return
			}
		}
	})
	set.Guests = key.guests
	s.sets[key] = set
	return set
}

// Everybody gives those whom [PeopleSets.SetEverybody] took, in the order of the sets.
func (s *PeopleSets) Everybody() iter.Seq[*zulip.User] { return slices.Values(s.users) }

// Nobody is the empty set.
func (s *PeopleSets) Nobody() *People { return s.Of(permission.People{}) }

// Account returns the account of a user, which is the same for the same user.
func (s *PeopleSets) Account(user *zulip.User) *Account {
	if known, ok := s.accounts[user.ID]; ok {
		return known
	}
	account := &Account{
		ID: user.ID, Name: user.FullName, Email: user.Address(), Role: user.Role.String(),
		IsBot: user.IsBot, IsSelf: user.ID == s.self,
	}
	s.accounts[user.ID] = account
	return account
}

// Accounts returns all named accounts, ascending by ID.
func (s *PeopleSets) Accounts() []*Account {
	return slices.SortedFunc(maps.Values(s.accounts), func(a, b *Account) int { return cmp.Compare(a.ID, b.ID) })
}
