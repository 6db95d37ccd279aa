// Package store reads an organization, once for all resources of a run: a plan costs the same few requests whatever its
// size.
//
// [Store.Read] returns a snapshot as this run knows it, [Store.Fresh] one of which parts were read after the call began:
// those who ask at the same time share a request. A write is announced with [Store.Write], so that reads after it wait for
// others that are under way and are shared; [Store.Invalidate] makes the next to ask read a part again. What is not in the
// snapshot, such as drafts and the subscribers of one channel, is read when somebody first asks for it.
package store

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Run is what the store needs of the run state: the names that are planned, and its locks.
type Run interface {
	snapshot.Planned
	Lock(ctx context.Context, key string) (unlock func(), err error)
}

// Store reads the organization and keeps what it has read. It is safe for concurrent use.
type Store struct {
	client *zulip.Client
	self   *zulip.User
	level  int
	run    Run
	scarce func() bool // whether requests are, as [zulip.Client.Scarce] tells

	mu      sync.Mutex
	current *snapshot.Snapshot
	have    map[Part]bool
	forgot  map[Part]int   // how often a part was invalidated
	reread  map[Part]int   // how often a part was read by itself
	written map[Part][]put // what this run has put into the facts of a part
	flights gather[[]Part, struct{}]
	failure failure           // of the last flight
	rereads map[Part]*rereads // by the part that they read
	lists   lists
	joint   gather[partRead, partAnswer]
	// asking are those who wait for a read that has not begun, unanswered those too who wait for its end, and most is how
	// many the latter have ever been.
	asking, unanswered, most int

	writes  int
	settled chan struct{} // closed when writes comes to zero; nil while it is zero

	own     own
	emoji   kept[map[string]string]
	members members
}

// New returns an empty store. self is the account of the client, featureLevel the server's, zero if unknown.
func New(client *zulip.Client, self *zulip.User, featureLevel int, run Run) *Store {
	s := &Store{
		client: client, self: self, level: featureLevel, run: run, scarce: client.Scarce, current: snapshot.New(snapshot.Facts{}, run),
		have: map[Part]bool{}, forgot: map[Part]int{}, reread: map[Part]int{}, rereads: map[Part]*rereads{}, written: map[Part][]put{},
		lists: lists{started: time.Now(), wrote: map[Part]time.Time{}, read: map[Part]time.Time{}},
	}
	s.flights = gather[[]Part, struct{}]{ask: s.fly, quiet: gatheringOf, turn: make(chan struct{}, 1)}
	s.joint = gather[partRead, partAnswer]{ask: s.readParts}
	s.own.init(s)
	s.emoji.read = s.readEmojiNames
	s.members.init(s)
	return s
}

// Self returns the account that the provider uses.
func (s *Store) Self() *zulip.User { return s.self }

// FeatureLevel returns the API feature level of the server; zero if it did not say.
func (s *Store) FeatureLevel() int { return s.level }

// Read returns a snapshot as this run knows it that holds parts, and what these need: what is missing is read in one
// request for all who ask at the same time.
func (s *Store) Read(ctx context.Context, parts ...Part) (*snapshot.Snapshot, error) {
	if s.self.Role > zulip.RoleAdministrator {
		parts = slices.DeleteFunc(slices.Clone(parts), func(part Part) bool { return part == Subscribers })
	}
	return s.need(ctx, withNeeds(parts))
}

// Fresh returns a snapshot of which parts were read after the call began, in one request for all who ask at the same time.
// What the parts need is in it too.
func (s *Store) Fresh(ctx context.Context, parts ...Part) (current *snapshot.Snapshot, err error) {
	for _, part := range parts {
		if part != Channels {
			besides := slices.DeleteFunc(slices.Clone(needs[part]), func(one Part) bool { return one == part && part != Organization })
			if _, err := s.need(ctx, besides); err != nil {
				return nil, err
			}
		}
		if current, err = s.fresh(ctx, part, s.readerOf(part)); err != nil {
			return nil, err
		}
	}
	return current, nil
}

// readerOf returns how a part is read by itself.
func (s *Store) readerOf(part Part) func(context.Context) (put, error) {
	switch part {
	case Channels:
		return reader("channels", func(ctx context.Context) ([]*zulip.Channel, error) { return s.client.Channels(ctx, s.level) }, (*snapshot.Facts).SetChannels)
	case Folders:
		return reader("channel folders", s.client.ChannelFolders, (*snapshot.Facts).SetFolders)
	case Linkifiers:
		return reader("linkifiers", s.client.Linkifiers, (*snapshot.Facts).SetLinkifiers)
	case ProfileFields:
		return reader("custom profile fields", s.client.ProfileFields, (*snapshot.Facts).SetProfileFields)
	case Users:
		return reader("people", func(ctx context.Context) ([]*zulip.User, error) { return s.client.Users(ctx, true) }, (*snapshot.Facts).SetUsers)
	case UserGroups:
		return reader("user groups", s.readUserGroups, (*snapshot.Facts).SetUserGroups)
	case Bots:
		return s.readBots
	}
	return func(ctx context.Context) (put, error) {
		read, err := s.register(ctx, []Part{part})
		if err != nil {
			return nil, whileReading("organization", err)
		}
		return func(facts *snapshot.Facts) { facts.Merge(read) }, nil
	}
}

func reader[T any](what string, read func(context.Context) (T, error), set func(*snapshot.Facts, T)) func(context.Context) (put, error) {
	return func(ctx context.Context) (put, error) {
		value, err := read(ctx)
		if err != nil {
			return nil, whileReading(what, err)
		}
		return func(facts *snapshot.Facts) { set(facts, value) }, nil
	}
}

// readUserGroups asks the way that the account may.
func (s *Store) readUserGroups(ctx context.Context) ([]*zulip.UserGroup, error) {
	if !s.self.IsBot {
		return s.client.UserGroups(ctx, s.level)
	}
	read, err := s.register(ctx, []Part{UserGroups})
	if err != nil {
		return nil, err
	}
	return read.UserGroups, nil
}

func (s *Store) readBots(ctx context.Context) (put, error) {
	s.mu.Lock()
	since := s.mark(Users)
	s.mu.Unlock()
	read, err := s.register(ctx, []Part{Bots, Users})
	if err != nil {
		return nil, whileReading("bots", err)
	}
	return func(facts *snapshot.Facts) {
		s.settle(facts, Users, since, takePart(read, Users))
		takePart(read, Bots)(facts)
	}, nil
}

// Invalidate makes the next to ask read parts again, because they have become out of date.
func (s *Store) Invalidate(parts ...Part) {
	s.mu.Lock()
	s.forget(parts...)
	s.mu.Unlock()
	for _, part := range parts {
		switch part {
		case Subscribers:
			s.members.forget()
		case Drafts:
			s.own.drafts.forget()
		case ScheduledMessages:
			s.own.scheduled.forget()
		case Invitations:
			s.own.invitations.forget()
		case Subscriptions:
			s.own.subscriptions.forget()
		}
	}
}

// forget drops parts of the snapshot. The caller holds the lock.
func (s *Store) forget(parts ...Part) {
	for _, part := range parts {
		delete(s.have, part)
		s.forgot[part]++
	}
}

// GaveRole puts a role that this run has given into the snapshot. The groups of the roles are read again.
func (s *Store) GaveRole(id int64, role zulip.Role) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(UserGroups)
	s.putWritten(Users, func(facts *snapshot.Facts) { facts.ChangeUser(id, func(user *zulip.User) { user.Role = role }) })
}

// BecameActive registers that this run has created or reactivated an account. It is in the groups of its role from then
// on, and may be in channels: those are read again.
func (s *Store) BecameActive() { s.Invalidate(UserGroups, Subscribers) }
