// Package store reads an organization, once for all resources of a run: a plan costs the same few requests whatever its
// size.
//
// [Store.Read] returns a snapshot as this run knows it, [Store.Fresh] one of which parts were read after the call began.
// Those who ask at the same time share a request; so that they do, a write is made through [Store.Write], and a read waits
// a moment for writes under way. [Store.Invalidate] makes the next to ask read a part again. What is not in the snapshot,
// such as drafts and the subscribers of one channel, is read when somebody first asks for it.
package store

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Run is what the store needs of the run state: the names that are planned, and its locks.
type Run interface {
	snapshot.PlannedNames
	Lock(ctx context.Context, key string) (unlock func(), err error)
}

// Store reads the organization and keeps what it has read. It is safe for concurrent use.
type Store struct {
	client  *zulip.Client
	self    *zulip.User
	level   int
	run     Run
	started time.Time

	reads  batcher[question, failures]
	writes atomic.Int64 // under way

	mu      sync.Mutex
	current *snapshot.Snapshot
	parts   map[Part]*partState
	begun   int // so many reads have
	failure failure

	asked   asked
	own     own
	emoji   kept[map[string]string]
	members members
}

// New returns an empty store. self is the account of the client, featureLevel the server's, zero if unknown.
func New(client *zulip.Client, self *zulip.User, featureLevel int, run Run) *Store {
	s := &Store{
		client: client, self: self, level: featureLevel, run: run, started: time.Now(),
		current: snapshot.New(snapshot.Facts{}, run), parts: map[Part]*partState{},
	}
	s.reads = batcher[question, failures]{
		ask: s.read, quiet: quietBefore, isScarce: client.Scarce,
		isBusy:   func() bool { return s.writes.Load() > 0 },
		covers:   func(others []question, q question) bool { return q.isAnsweredBy(others) },
		isUrgent: func(q question) bool { return len(q.fresh) > 0 },
	}
	s.asked.init()
	s.own.init(s)
	s.emoji.read = s.readEmojiNames
	s.members.init(s)
	return s
}

// OneAtATime makes reads begin without waiting for others to share them, for who works on one resource at a time. It is
// called before the store is used, and returns it.
func (s *Store) OneAtATime() *Store {
	s.reads.oneAtATime = true
	return s
}

// Self returns the account that the provider uses.
func (s *Store) Self() *zulip.User { return s.self }

// Client returns the client that the store reads with.
func (s *Store) Client() *zulip.Client { return s.client }

// FeatureLevel returns the API feature level of the server; zero if it did not say.
func (s *Store) FeatureLevel() int { return s.level }

// Write makes a call that writes. A read that is asked for meanwhile waits a moment for its end, so that those who write at
// the same time share what they read afterwards.
func (s *Store) Write(ctx context.Context, call func(context.Context) error) error {
	s.writes.Add(1)
	defer s.writes.Add(-1)
	return call(ctx)
}

// Invalidate makes the next to ask read parts again, because they have become out of date.
func (s *Store) Invalidate(parts ...Part) {
	for _, part := range parts {
		switch part {
		case Drafts:
			s.own.drafts.forget()
		case ScheduledMessages:
			s.own.scheduled.forget()
		case Invitations:
			s.own.invitations.forget()
		case Subscriptions:
			s.own.subscriptions.forget()
		case Subscribers:
			s.members.forget()
			fallthrough
		default:
			s.invalidate(part)
		}
	}
}

// invalidate makes the next to ask read a part of the snapshot again.
func (s *Store) invalidate(part Part) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.state(part)
	of.have = false
	of.invalidated++
	of.reading = nil // a read that has begun is out of date too
}

// GaveRole puts a role that this run has given into the snapshot. The groups of the roles are read again.
func (s *Store) GaveRole(id int64, role zulip.Role) {
	s.invalidate(UserGroups)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(Users, func(facts *snapshot.Facts) { facts.ChangeUser(id, func(user *zulip.User) { user.Role = role }) })
}

// BecameActive registers that this run has created or reactivated an account. It is in the groups of its role from then
// on, and may be in channels: those are read again.
func (s *Store) BecameActive() {
	s.Invalidate(UserGroups, Subscribers)
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.asked.nobody)
}
