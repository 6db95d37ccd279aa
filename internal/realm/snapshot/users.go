package snapshot

import (
	"cmp"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// users are the people and bots, the server's own included.
type users struct {
	Index[zulip.User]

	byAddress lazy[map[string]*zulip.User]
	ordered   lazy[[]*zulip.User]
}

func newUsers(all []*zulip.User) *users {
	u := &users{}
	u.list, u.id, u.name = all, func(u *zulip.User) int64 { return u.ID }, unnamed[zulip.User]
	return u
}

// withAddress finds who has an address, whatever its case. Where two share one, as a hidden one may, the active one has it.
func (u *users) withAddress(address string) (*zulip.User, bool) {
	user, ok := u.byAddress.get(func() map[string]*zulip.User {
		found := make(map[string]*zulip.User, 2*len(u.list))
		for _, user := range u.list {
			for _, address := range []string{user.Email, user.Address()} {
				if known, ok := found[fold(address)]; !ok || !known.IsActive {
					found[fold(address)] = user
				}
			}
		}
		return found
	})[fold(address)]
	return user, ok
}

// Accounts returns the people and bots, the server's own included, by their IDs. They have no names.
func (s *Snapshot) Accounts() *Index[zulip.User] { return &s.facts.users.Index }

// User returns the person or bot with an ID, deactivated ones included.
func (s *Snapshot) User(id int64) (*zulip.User, bool) { return s.facts.users.ByID(id) }

// UserByAddress returns the person or bot with an address, the real one or the API address, whatever its case; where
// nobody has it, the one to whom this run gives it.
func (s *Snapshot) UserByAddress(address string) (*zulip.User, bool) {
	if user, ok := s.facts.users.withAddress(address); ok {
		return user, true
	}
	id, _ := s.planned.PlannedID(AccountKind, address)
	return s.User(id)
}

// Users returns everybody, ordered by ID, without the server's own bots. The slice is shared: it must not be changed.
func (s *Snapshot) Users() []*zulip.User {
	u := s.facts.users
	return u.ordered.get(func() []*zulip.User {
		kept := slices.DeleteFunc(slices.Clone(u.list), func(user *zulip.User) bool { return user.IsSystemBot })
		slices.SortFunc(kept, func(a, b *zulip.User) int { return cmp.Compare(a.ID, b.ID) })
		return kept
	})
}

// Addresses returns the addresses of everybody who is active, without the server's own bots.
func (s *Snapshot) Addresses() []string {
	return s.addresses(func(user *zulip.User) bool { return !user.IsSystemBot })
}

// BotAddresses returns the addresses of the active bots that the provider's account may manage.
func (s *Snapshot) BotAddresses() []string {
	return s.addresses(func(user *zulip.User) bool {
		_, managed := s.Bots().ByID(user.ID)
		return managed
	})
}

// addresses returns the addresses of the active accounts of some kind.
func (s *Snapshot) addresses(isOfKind func(*zulip.User) bool) []string {
	var all []string
	for _, user := range s.facts.users.list {
		if user.IsActive && isOfKind(user) && user.Address() != "" {
			all = append(all, user.Address())
		}
	}
	return all
}

// HasOtherOwner reports whether somebody beside one person is an active owner now. The server counts no bots
// (server-behavior §U7).
func (s *Snapshot) HasOtherOwner(except int64) bool {
	return slices.ContainsFunc(s.Users(), func(user *zulip.User) bool {
		return user.ID != except && isActiveOwner(user)
	})
}

// HasSeveralOwners reports whether more than one person is an active owner.
func (s *Snapshot) HasSeveralOwners() bool {
	owner := slices.IndexFunc(s.Users(), isActiveOwner)
	return owner >= 0 && s.HasOtherOwner(s.Users()[owner].ID)
}

func isActiveOwner(user *zulip.User) bool {
	return !user.IsBot && user.IsActive && user.Role == zulip.RoleOwner
}

// Status returns the status of a person; that of somebody who says nothing is empty.
func (s *Snapshot) Status(id int64) zulip.Status { return s.facts.statuses[id] }
