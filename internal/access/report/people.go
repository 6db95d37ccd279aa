package report

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// People is a set of accounts. Equal sets are the same pointer. The zero value is empty.
type People struct {
	// Guests is the number of people who are guests when they gain or lose access: after the plan, or before.
	Guests int
	Bots   int

	order  *Order
	places sets.Bits
	length int
}

// Order has everyone who can be in a set, in the order of surprise: the provider's account, guests, bots, then people by
// role. The sets of a report share one order, so that a set has one bit for each account.
type Order struct{ accounts []*Account }

// NewOrder returns an order of sorted accounts.
func NewOrder(accounts []*Account) *Order { return &Order{accounts} }

// People returns the set of accounts at some places of the order, which must be below the number of accounts.
func (o *Order) People(places sets.Bits) *People {
	set := &People{order: o, places: places}
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

// PeopleOf returns a set of accounts with its own order, in which they are given.
func PeopleOf(accounts ...*Account) *People {
	var places sets.Bits
	for place := range accounts {
		places.Add(place)
	}
	return NewOrder(accounts).People(places)
}

// Len is the number of accounts; a nil set has none.
func (p *People) Len() int {
	if p == nil {
		return 0
	}
	return p.length
}

// All yields all accounts, in their order.
func (p *People) All() iter.Seq[*Account] {
	return func(yield func(*Account) bool) {
		if p == nil {
			return
		}
		for place := range p.places.All() {
			if !yield(p.order.accounts[place]) {
				return
			}
		}
	}
}

// First returns the first accounts, up to a number.
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

// IDs lists the IDs, in the same order.
func (p *People) IDs() []int64 {
	return lists.Map(p.First(p.Len()), func(account *Account) int64 { return account.ID })
}

func (p *People) bots() []*Account {
	return lists.Where(p.First(p.Len()), func(account *Account) bool { return account.IsBot })
}

// Some reports whether any account satisfies a condition.
func (p *People) Some(is func(*Account) bool) bool {
	for account := range p.All() {
		if is(account) {
			return true
		}
	}
	return false
}

// Has reports whether an account is in the set, by ID.
func (p *People) Has(id int64) bool {
	return p.Some(func(account *Account) bool { return account.ID == id })
}

// MarshalJSON writes the set in the form of a review.
func (p *People) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		IDs    []int64 `json:"ids"`
		Guests int     `json:"guests"`
		Bots   int     `json:"bots"`
	}{p.IDs(), p.Guests, p.Bots})
}

// Account is a person or a bot.
type Account struct {
	// ID is negative for an account that the plan creates.
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	// Role is the role before the plan: owner, administrator, moderator, member, guest.
	Role  string `json:"role"`
	IsBot bool   `json:"is_bot"`
	// IsSelf is true for the provider's account.
	IsSelf bool `json:"is_self"`
}

// About says what an account is besides its role, unless the role is guest; "" for most people.
func (a *Account) About() string {
	var words []string
	for _, one := range []struct {
		applies bool
		word    string
	}{{a.ID < 0, "new"}, {a.Role == "guest", "guest"}, {a.IsBot, "bot"}} {
		if one.applies {
			words = append(words, one.word)
		}
	}
	if a.IsSelf {
		return strings.Join(append([]string{"the provider's account"}, words...), ", ")
	}
	return strings.Join(words, " ")
}

// PeopleSets makes the sets of people of a report, each once, however many channels have it.
type PeopleSets struct {
	self     int64
	sets     map[setKey]*People
	accounts map[int64]*Account
	order    *Order
	// users are everyone in the order, and placeOf the places by ID.
	users   []*zulip.User
	placeOf map[int64]int
}

// setKey is equal for the same people with the same number of guests. The same people can be guests in only one of two
// organizations.
type setKey struct {
	people string
	guests int
}

// NewPeopleSets returns an empty collection of sets. self is the ID of the provider's account.
func NewPeopleSets(self int64) *PeopleSets {
	return &PeopleSets{self: self, sets: map[setKey]*People{}, accounts: map[int64]*Account{}, order: &Order{}}
}

// SetEverybody sets everyone who can be in a set. Call it before [PeopleSets.Of].
func (s *PeopleSets) SetEverybody(users []*zulip.User) {
	s.users = slices.SortedStableFunc(slices.Values(users), func(a, b *zulip.User) int {
		return cmp.Or(cmp.Compare(s.surpriseRank(a), s.surpriseRank(b)), cmp.Compare(a.ID, b.ID))
	})
	s.order.accounts, s.placeOf = make([]*Account, len(users)), make(map[int64]int, len(users))
	for place, user := range s.users {
		s.placeOf[user.ID] = place
	}
}

// surpriseRank returns the rank of a user for naming people; the lowest is named first: the provider's account, guests, people
// by role, then bots.
func (s *PeopleSets) surpriseRank(user *zulip.User) int {
	switch {
	case user.ID == s.self:
		return 0
	case user.Role == zulip.RoleGuest:
		return 1
	case user.IsBot:
		return 2 + int(zulip.RoleGuest) + int(user.Role) // after all people
	}
	return 2 + int(user.Role)
}

// Of returns a set, never nil. Its guests are the guests in the organization that it was computed from.
func (s *PeopleSets) Of(people permission.People) *People {
	key := setKey{people.Key(), people.Guests()}
	if known, ok := s.sets[key]; ok {
		return known
	}
	var places sets.Bits
	for user := range people.All() {
		if place, ok := s.placeOf[user.ID]; ok {
			s.order.accounts[place] = s.Account(s.users[place])
			places.Add(place)
		}
	}
	set := s.order.People(places)
	set.Guests = key.guests
	s.sets[key] = set
	return set
}

// Everybody returns the people of [PeopleSets.SetEverybody], in the order of the sets.
func (s *PeopleSets) Everybody() iter.Seq[*zulip.User] { return slices.Values(s.users) }

// Nobody is the empty set.
func (s *PeopleSets) Nobody() *People { return s.Of(permission.People{}) }

// Account returns the account of a user, always the same pointer for the same user.
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
	all := slices.AppendSeq([]*Account{}, maps.Values(s.accounts))
	slices.SortFunc(all, func(a, b *Account) int { return cmp.Compare(a.ID, b.ID) })
	return all
}
