package review

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// crowd makes the sets of people of a review, each once, however many channels they gain something in.
type crowd struct {
	self     int64
	sets     map[string]*People
	accounts map[int64]*Account
	// order is everybody, those first who are surprised most: it is worked out once, and not for every set.
	order []*zulip.User
}

// arrange takes everybody who can be in a set.
func (c *crowd) arrange(users []*zulip.User) {
	report := permission.Report{Self: c.self}
	c.order = slices.SortedStableFunc(slices.Values(users), func(a, b *zulip.User) int {
		return cmp.Or(cmp.Compare(report.SurpriseRank(a), report.SurpriseRank(b)), cmp.Compare(a.ID, b.ID))
	})
}

func newCrowd(self int64) *crowd {
	return &crowd{self: self, sets: map[string]*People{}, accounts: map[int64]*Account{}}
}

// of returns a set, never nil. Who is a guest in it is who is one in the state of the organization that it is of.
func (c *crowd) of(people permission.People) *People {
	guests := 0
	for user := range people.All() {
		if user.Role == zulip.RoleGuest {
			guests++
		}
	}
	key := fmt.Sprintf("%d %s", guests, people.Key())
	if known, ok := c.sets[key]; ok {
		return known
	}
	length := people.Len()
	set := &People{Accounts: make([]*Account, 0, length), IDs: make([]int64, 0, length), Guests: guests}
	for _, user := range c.order {
		if len(set.IDs) == length {
			break
		}
		if !people.Has(user.ID) {
			continue
		}
		set.Accounts, set.IDs = append(set.Accounts, c.account(user)), append(set.IDs, user.ID)
		if user.IsBot {
			set.Bots++
		}
	}
	c.sets[key] = set
	return set
}

func (c *crowd) nobody() *People { return c.of(permission.People{}) }

func (c *crowd) account(user *zulip.User) *Account {
	if known, ok := c.accounts[user.ID]; ok {
		return known
	}
	account := &Account{
		ID: user.ID, Name: user.FullName, Address: user.Address(), Role: user.Role.String(),
		IsBot: user.IsBot, IsSelf: user.ID == c.self,
	}
	c.accounts[user.ID] = account
	return account
}

// all returns everybody who was named, ascending by ID.
func (c *crowd) all() []*Account {
	return slices.SortedFunc(maps.Values(c.accounts), func(a, b *Account) int { return cmp.Compare(a.ID, b.ID) })
}
