package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// People are those who gain or lose something. Where they are the same, they are the same pointer.
type People struct {
	// Accounts are all of them, those first who are surprised most: the account the provider uses, guests, bots, then
	// people by role.
	Accounts []*Account `json:"-"`
	// IDs are the same, in the same order.
	IDs []int64 `json:"ids"`
	// Guests are those among them who are guests when they gain it, or lose it: after the plan, or before.
	Guests int `json:"guests"`
	Bots   int `json:"bots"`
}

// Len is how many there are; none are in nil.
func (p *People) Len() int {
	if p == nil {
		return 0
	}
	return len(p.Accounts)
}

// Account is a person or a bot.
type Account struct {
	// ID is negative for one that the plan creates.
	ID      int64  `json:"id"`
	Name    string `json:"name"`
	Address string `json:"address"`
	// Role is what it is before the plan: owner, administrator, moderator, member, guest.
	Role  string `json:"role"`
	IsBot bool   `json:"is_bot"`
	// IsSelf says that it is the account the provider uses.
	IsSelf bool `json:"is_self"`
}

// PeopleSets makes the sets of people of a report, each once, however many channels they gain something in.
type PeopleSets struct {
	self     int64
	sets     map[string]*People
	accounts map[int64]*Account
	// order is everybody, those first who are surprised most: it is worked out once, and not for every set.
	order []*zulip.User
}

// NewPeopleSets returns sets of people, among whom the account the provider uses has the ID self.
func NewPeopleSets(self int64) *PeopleSets {
	return &PeopleSets{self: self, sets: map[string]*People{}, accounts: map[int64]*Account{}}
}

// SetEverybody takes everybody who can be in a set. Call it before [PeopleSets.Of].
func (s *PeopleSets) SetEverybody(users []*zulip.User) {
	report := permission.Report{Self: s.self}
	s.order = slices.SortedStableFunc(slices.Values(users), func(a, b *zulip.User) int {
		return cmp.Or(cmp.Compare(report.SurpriseRank(a), report.SurpriseRank(b)), cmp.Compare(a.ID, b.ID))
	})
}

// Of returns a set, never nil. Who is a guest in it is who is one in the state of the organization that it is of.
func (s *PeopleSets) Of(people permission.People) *People {
	guests := 0
	for user := range people.All() {
		if user.Role == zulip.RoleGuest {
			guests++
		}
	}
	key := fmt.Sprintf("%d %s", guests, people.Key())
	if known, ok := s.sets[key]; ok {
		return known
	}
	length := people.Len()
	set := &People{Accounts: make([]*Account, 0, length), IDs: make([]int64, 0, length), Guests: guests}
	for _, user := range s.order {
		if len(set.IDs) == length {
			break
		}
		if !people.Has(user.ID) {
			continue
		}
		set.Accounts, set.IDs = append(set.Accounts, s.Account(user)), append(set.IDs, user.ID)
		if user.IsBot {
			set.Bots++
		}
	}
	s.sets[key] = set
	return set
}

// Nobody is the empty set.
func (s *PeopleSets) Nobody() *People { return s.Of(permission.People{}) }

// Account returns the account of a user, which is the same for the same user.
func (s *PeopleSets) Account(user *zulip.User) *Account {
	if known, ok := s.accounts[user.ID]; ok {
		return known
	}
	account := &Account{
		ID: user.ID, Name: user.FullName, Address: user.Address(), Role: user.Role.String(),
		IsBot: user.IsBot, IsSelf: user.ID == s.self,
	}
	s.accounts[user.ID] = account
	return account
}

// Accounts returns everybody who was named, ascending by ID.
func (s *PeopleSets) Accounts() []*Account {
	return slices.SortedFunc(maps.Values(s.accounts), func(a, b *Account) int { return cmp.Compare(a.ID, b.ID) })
}
