// Package store reads an organization once for all resources of a run: a plan costs the same few requests whatever
// its size.
//
// [Store.Read] returns the run's current snapshot. [Store.Fresh] returns a snapshot in which parts were read after the
// call began. Concurrent callers share a request. For this, a write is announced with [Store.BeginWrite], and a read
// waits a moment for writes under way. After [Store.Invalidate], the next caller reads a part again. Objects outside
// the snapshot, such as drafts and the subscribers of one channel, are read on first use. The package knows no resource.
package store

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Store reads the organization and stores the result. It is safe for concurrent use.
type Store struct {
	client  *zulip.Client
	self    *zulip.User
	level   int
	run     *runstate.State
	started time.Time

	reads  batcher[question, failures]
	writes atomic.Int64 // under way

	mu      sync.Mutex
	current *snapshot.Snapshot
	parts   map[Part]*partState
	begun   int // the number of reads
	failure failure

	asked   asked
	own     own
	emoji   kept[map[string]string]
	members members
}

// New returns an empty store. self is the account of the client, and featureLevel the server's, zero if unknown.
func New(client *zulip.Client, self *zulip.User, featureLevel int, run *runstate.State) *Store {
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

// OneAtATime makes reads start without waiting for others to share them, for a caller that works on one resource at a
// time. Call it before the store is used. It returns the store.
func (s *Store) OneAtATime() *Store {
	s.reads.oneAtATime = true
	return s
}

// Started sets when the run started, for a run with another clock (see [zulip.WithClock]). It returns the store.
func (s *Store) Started(at time.Time) *Store {
	s.started = at
	return s
}

// Self returns the provider's account.
func (s *Store) Self() *zulip.User { return s.self }

// Client returns the client that the store reads with.
func (s *Store) Client() *zulip.Client { return s.client }

// FeatureLevel returns the API feature level of the server; zero if unknown.
func (s *Store) FeatureLevel() int { return s.level }

// BeginWrite announces a request that writes, until done is called. A read that begins before done waits a moment, so
// that resources that write at the same time share the reading after it.
//
// list is the list that the request changes if the server caches it (see [Store.ReadUntil]), and otherwise "". Only one
// request at a time changes a list, and not during a read of it. Otherwise the server could put the old list back into
// its cache until the next change. The error is the error of a context that ended while the request waited.
func (s *Store) BeginWrite(ctx context.Context, list Part) (done func(), err error) {
	s.writes.Add(1) // a read also waits for requests that wait for their turn
	if list == "" {
		return func() { s.writes.Add(-1) }, nil
	}
	unlock, err := s.run.Lock(ctx, string(list))
	if err != nil {
		s.writes.Add(-1)
		return nil, err
	}
	s.mu.Lock()
	read := s.state(list).lastRead
	s.mu.Unlock()
	if read != nil {
		select {
		case <-read:
		case <-ctx.Done():
			s.writes.Add(-1)
			unlock()
			return nil, context.Cause(ctx)
		}
	}
	return func() {
		s.invalidate(list)
		s.mu.Lock()
		s.state(list).wroteAt = zulip.Now(ctx)
		s.mu.Unlock()
		unlock()
		s.writes.Add(-1)
	}, nil
}

// Write sends one request that writes: see [Store.BeginWrite].
func (s *Store) Write(ctx context.Context, send func(context.Context) error) error {
	done, err := s.BeginWrite(ctx, "")
	if err != nil {
		return err
	}
	defer done()
	return send(ctx)
}

// Invalidate makes the next caller read parts again, because they are out of date.
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

// invalidate makes the next caller read a part of the snapshot again.
func (s *Store) invalidate(part Part) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.state(part)
	of.have = false
	of.invalidated++
	of.reading = nil // the result of a read under way is out of date too
}

// GaveRole puts a role that this run has given into the snapshot. The groups of the roles are read again.
func (s *Store) GaveRole(id int64, role zulip.Role) {
	s.invalidate(UserGroups)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(Users, func(facts *snapshot.Facts) { facts.ChangeUser(id, func(user *zulip.User) { user.Role = role }) })
}

// BecameActive registers that this run has created or reactivated an account. It is now in the groups of its role, and
// may be in channels, so these are read again.
func (s *Store) BecameActive() {
	s.Invalidate(UserGroups, Subscribers)
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.asked.nobody)
}

// Part is a part of the organization that is read, and becomes out of date, as a whole.
type Part string

// The parts of the snapshot.
const (
	// Organization has the settings of the organization.
	Organization         Part = zulip.FetchRealm
	UserGroups           Part = zulip.FetchUserGroups
	Users                Part = zulip.FetchUsers
	Channels             Part = zulip.FetchChannels
	Folders              Part = zulip.FetchFolders
	DefaultChannelGroups Part = zulip.FetchDefaultGroups
	ProfileFields        Part = zulip.FetchProfileFields
	Linkifiers           Part = zulip.FetchLinkifiers
	CustomEmoji          Part = zulip.FetchCustomEmoji
	UserDefaults         Part = zulip.FetchUserDefaults
	Playgrounds          Part = zulip.FetchPlaygrounds
	Domains              Part = zulip.FetchDomains
	Statuses             Part = zulip.FetchStatuses
	Bots                 Part = zulip.FetchBots
	// Subscribers are the subscribers of every channel. Only administrators see them all, so for other accounts they
	// are not in the snapshot.
	Subscribers Part = zulip.FetchSubscribers
)

// These parts are not in the snapshot, and are read on first use.
const (
	Drafts            Part = "drafts"
	ScheduledMessages Part = "scheduled messages"
	Invitations       Part = "invitations"
	Subscriptions     Part = "subscriptions" // of the account itself
)

// access are the parts for permissions: the settings, the groups and the people.
var access = []Part{Organization, UserGroups, Users}

// needs are the parts that are read with another, because it names their objects. By default a channel names its
// creator, so it needs the people.
var needs = map[Part][]Part{
	Organization:         access,
	UserGroups:           access,
	Users:                {ProfileFields},
	Channels:             append([]Part{Folders}, access...),
	DefaultChannelGroups: append([]Part{Channels, Folders}, access...),
	CustomEmoji:          access,
	Statuses:             {Users, CustomEmoji, Organization},
	Bots:                 append([]Part{Channels, Folders}, access...),
	Subscribers:          append([]Part{Channels, Folders}, access...),
}

// withNeeds returns parts and the parts that they need.
func withNeeds(parts []Part) []Part {
	all := slices.Clone(parts)
	for _, part := range parts {
		all = append(all, needs[part]...)
	}
	return distinct(all)
}

// furtherParts returns the further parts that parts need. After a write, the channels are read without them, because
// the caller has already read them.
func furtherParts(parts []Part) []Part {
	var all []Part
	for _, part := range parts {
		if part != Channels {
			all = append(all, needs[part]...)
		}
	}
	return slices.DeleteFunc(distinct(all), func(part Part) bool { return slices.Contains(parts, part) })
}

// smallParts do not grow with the organization: 18 kB of settings and manually kept lists, in all about 50 kB. The
// first read includes them, because a later read costs two more requests, some 100 ms.
var smallParts = []Part{
	Organization, DefaultChannelGroups, Folders, ProfileFields, Linkifiers, CustomEmoji, UserDefaults, Playgrounds, Domains,
}

// loneParts depend on no other parts, and no other parts depend on them. For a configuration with only such objects,
// the people and the channels are not read. If as many callers ask for lone parts as Terraform has workers, other
// resources may be waiting behind them.
var loneParts = []Part{Linkifiers, UserDefaults, Playgrounds, Domains}

func areLone(parts []Part) bool {
	return !slices.ContainsFunc(parts, func(part Part) bool { return !slices.Contains(loneParts, part) })
}

// companions are parts that every other read includes, because configurations have references between them: from
// channels to folders, groups and people, and from people to statuses. Separate reads would take separate requests.
//
// With 5,000 people and as many channels they are 6 MB, a second of the server's time. Only the subscribers are as
// large, and the bots contain keys: those two are read only on request.
var companions = []Part{UserGroups, Users, Channels, Statuses}

// company returns the parts to read together with others. It omits parts that were read before: after a write they
// may be out of date, and the callers that need them read them again. The caller holds the lock.
func (s *Store) company(parts []Part, askers int) []Part {
	along := slices.Clone(smallParts)
	if askers >= workers || !areLone(parts) {
		along = append(along, companions...)
	}
	return slices.DeleteFunc(along, func(part Part) bool {
		of := s.state(part)
		return of.have || of.invalidated > 0 || of.read > 0 || of.reading != nil
	})
}

// kept is a value that is read once for all callers, until it is dropped.
type kept[T any] struct {
	read func(context.Context) (T, error)

	mu      sync.Mutex
	current *sharedRead[T]
}

// sharedRead is one request, and all callers that wait for it.
type sharedRead[T any] struct {
	value T
	err   error
	done  chan struct{}
}

// get returns the stored answer, or reads it. Concurrent callers wait for the same request.
func (k *kept[T]) get(ctx context.Context) (T, error) {
	k.mu.Lock()
	current := k.current
	if current == nil {
		current = &sharedRead[T]{done: make(chan struct{})}
		k.current = current
		go k.run(context.WithoutCancel(ctx), current)
	}
	k.mu.Unlock()
	var none T
	select {
	case <-ctx.Done():
		return none, context.Cause(ctx)
	case <-current.done:
		return current.value, current.err
	}
}

func (k *kept[T]) run(ctx context.Context, current *sharedRead[T]) {
	current.value, current.err = k.read(ctx)
	if current.err != nil {
		k.mu.Lock()
		if k.current == current {
			k.current = nil // the next caller tries again
		}
		k.mu.Unlock()
	}
	close(current.done)
}

// forget makes the next caller read again.
func (k *kept[T]) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.current = nil
}
