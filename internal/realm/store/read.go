package store

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// failureHolds is how long a failed read is the answer for later callers. The client has already repeated the request,
// so hundreds of resources that each try again would only delay the end of the run.
const failureHolds = 5 * time.Second

// question is a set of parts to read after the question, and of parts that may have been read before.
type question struct{ fresh, needed []Part }

// isAnsweredBy reports whether the read for other questions answers this question too. The parts that the other
// questions merely need may have been read before.
func (q question) isAnsweredBy(others []question) bool {
	for _, other := range others {
		q.fresh = sets.Without(q.fresh, other.fresh)
		q.needed = sets.Without(q.needed, slices.Concat(other.fresh, other.needed))
	}
	return len(q.fresh)+len(q.needed) == 0
}

// quietBefore returns the pause in questions before parts are read. Callers that write are followed by others that
// do. A first read brings more parts than the question asks for, and concurrent callers that ask for the same wait
// for it. Only a read of single parts waits for callers that need more.
func quietBefore(questions []question) time.Duration {
	for _, q := range questions {
		if len(q.fresh) > 0 {
			return quiet
		}
	}
	if len(questions) < workers && !slices.ContainsFunc(questions, func(q question) bool { return !areLone(q.needed) }) {
		return quiet
	}
	return brief
}

// failures are the errors of parts that could not be read.
type failures map[Part]error

// Read returns a snapshot with parts and the parts that these need, as this run knows them. One request reads the
// missing parts for all concurrent callers.
func (s *Store) Read(ctx context.Context, parts ...Part) (*snapshot.Snapshot, error) {
	if s.self.Role > zulip.RoleAdministrator {
		parts = slices.DeleteFunc(slices.Clone(parts), func(part Part) bool { return part == Subscribers })
	}
	return s.need(ctx, withNeeds(parts))
}

// Fresh returns a snapshot in which parts were read after the call began, in one request for all concurrent callers.
// It also has the parts that these need, as this run knows them.
func (s *Store) Fresh(ctx context.Context, parts ...Part) (*snapshot.Snapshot, error) {
	besides := furtherParts(parts)
	if slices.Contains(parts, Bots) {
		parts = append(slices.Clone(parts), Users) // a bot is an account too
	}
	s.mu.Lock()
	needed := slices.DeleteFunc(s.missing(besides), s.isBeingRead)
	s.mu.Unlock()
	failed, _, err := s.reads.do(ctx, question{parts, needed})
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		if err := failed[part]; err != nil {
			return nil, err
		}
	}
	return s.need(ctx, besides)
}

// need returns a snapshot with parts, and waits for the reads under way.
func (s *Store) need(ctx context.Context, parts []Part) (*snapshot.Snapshot, error) {
	for {
		s.mu.Lock()
		current, missing := s.current, s.missing(parts)
		var err error
		var underWay chan struct{}
		if len(missing) > 0 {
			err = s.failure.tell()
			for _, part := range missing {
				if underWay == nil {
					underWay = s.state(part).reading
				}
			}
		}
		s.mu.Unlock()
		switch {
		case err != nil:
			return nil, err
		case len(missing) == 0:
			return current, nil
		case underWay != nil:
			select {
			case <-underWay:
			case <-ctx.Done():
			}
		default:
			_, _, _ = s.reads.do(ctx, question{needed: missing}) // a failure is stored
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// missing returns the parts that the snapshot does not have. The caller holds the lock.
func (s *Store) missing(parts []Part) []Part {
	return slices.DeleteFunc(slices.Clone(parts), func(part Part) bool { return s.state(part).have })
}

// isBeingRead reports whether a read is under way that brings a part. The caller holds the lock.
func (s *Store) isBeingRead(part Part) bool { return s.state(part).reading != nil }

// read reads the parts, and creates the next snapshot with them.
func (s *Store) read(ctx context.Context, questions []question, sent func()) (failures, error) {
	s.mu.Lock()
	var fresh, needed []Part
	for _, q := range questions {
		fresh = append(fresh, q.fresh...)
		needed = append(needed, slices.DeleteFunc(s.missing(q.needed), s.isBeingRead)...)
	}
	if len(needed) > 0 {
		needed = append(needed, s.company(needed, len(questions))...)
	}
	parts := distinct(slices.Concat(fresh, needed))
	if len(parts) == 0 { // the previous read has returned it
		s.mu.Unlock()
		return nil, nil
	}
	done := make(chan struct{})
	for _, part := range parts {
		s.state(part).reading, s.state(part).lastRead = done, done
	}
	s.mu.Unlock()

	since := map[Part]mark{}
	leave := sync.OnceFunc(func() {
		sent() // first, because this read does not answer later questions
		s.mu.Lock()
		defer s.mu.Unlock()
		s.begun++
		for _, part := range parts {
			since[part] = s.mark(ctx, part)
		}
	})
	found := s.fetch(zulip.WhenSent(ctx, leave), parts)
	leave() // if it never left

	s.mu.Lock()
	defer s.mu.Unlock()
	failed := s.settle(found, since)
	if len(needed) > 0 {
		s.failure = failure{}
	}
	for _, part := range parts {
		if s.state(part).reading == done {
			s.state(part).reading = nil
		}
		if failed[part] != nil && slices.Contains(needed, part) {
			s.failure = failure{err: failed[part], until: time.Now().Add(failureHolds)}
		}
	}
	close(done)
	return failed, nil
}

// found is the answer for a part.
type found struct {
	read *zulip.RegisterAnswer
	err  error
}

// fewParts is the maximum number of parts that are read separately, because a snapshot takes two requests.
const fewParts = 2

// fetch reads a few parts separately, if the server has requests for them, and otherwise all in one snapshot.
func (s *Store) fetch(ctx context.Context, parts []Part) map[Part]found {
	all := make(map[Part]found, len(parts))
	if len(parts) > fewParts || slices.ContainsFunc(parts, func(part Part) bool { return s.endpoint(part) == nil }) {
		register := s.register
		if slices.Contains(parts, Bots) {
			register = s.readBots
		}
		read, err := register(ctx, parts)
		if err != nil {
			err = whileReading("organization", err)
		}
		for _, part := range parts {
			all[part] = found{read, err}
		}
		return all
	}
	var waiting sync.WaitGroup
	var mu sync.Mutex
	for _, part := range parts {
		waiting.Go(func() {
			read, err := s.endpoint(part)(ctx)
			mu.Lock()
			defer mu.Unlock()
			all[part] = found{read, err}
		})
	}
	waiting.Wait()
	return all
}

// endpoint returns the function that reads a part in a separate request; nil if there is none.
func (s *Store) endpoint(part Part) func(context.Context) (*zulip.RegisterAnswer, error) {
	switch {
	case part == Channels:
		return readInto("channels", func(ctx context.Context, read *zulip.RegisterAnswer) (err error) {
			read.Channels, err = s.client.Channels(ctx)
			return err
		})
	case part == Folders:
		return readInto("channel folders", func(ctx context.Context, read *zulip.RegisterAnswer) (err error) {
			read.Folders, err = s.client.ChannelFolders(ctx)
			return err
		})
	case part == Linkifiers:
		return readInto("linkifiers", func(ctx context.Context, read *zulip.RegisterAnswer) (err error) {
			read.Linkifiers, err = s.client.Linkifiers(ctx)
			return err
		})
	case part == ProfileFields:
		return readInto("custom profile fields", func(ctx context.Context, read *zulip.RegisterAnswer) (err error) {
			read.ProfileFields, err = s.client.ProfileFields(ctx)
			return err
		})
	case part == Users:
		return readInto("people", func(ctx context.Context, read *zulip.RegisterAnswer) (err error) {
			read.Users, err = s.client.Users(ctx, true)
			return err
		})
	case part == UserGroups && !s.self.IsBot: // bots can't use this endpoint
		return readInto("user groups", func(ctx context.Context, read *zulip.RegisterAnswer) (err error) {
			read.UserGroups, err = s.client.UserGroups(ctx)
			return err
		})
	}
	return nil
}

// readInto returns a function that reads one part.
func readInto(what string, read func(context.Context, *zulip.RegisterAnswer) error) func(context.Context) (*zulip.RegisterAnswer, error) {
	return func(ctx context.Context) (*zulip.RegisterAnswer, error) {
		into := &zulip.RegisterAnswer{}
		if err := read(ctx, into); err != nil {
			return nil, whileReading(what, err)
		}
		return into, nil
	}
}

// register fetches parts and closes the event queue that the server opens for it.
func (s *Store) register(ctx context.Context, parts []Part) (*zulip.RegisterAnswer, error) {
	fetch := make([]string, len(parts), len(parts)+1)
	for i, part := range parts {
		fetch[i] = string(part)
	}
	if slices.Contains(parts, Channels) {
		fetch = append(fetch, zulip.FetchDefaultStreams) // which is also in the list of channels
	}
	read, err := s.client.Register(ctx, fetch)
	if err != nil {
		return nil, err
	}
	if err := s.client.DeleteQueue(ctx, read.QueueID); err != nil {
		// The server drops an idle queue by itself after ten minutes (server-behavior §R24).
		tflog.Warn(ctx, "Cannot close the event queue of the snapshot", map[string]any{"error": err.Error()})
	}
	return read, nil
}

// failure is the error of the last read of missing parts, while it is the answer for later callers.
type failure struct {
	err   error
	until time.Time
	told  bool
}

// tell returns the failure, in full only for the first caller; nil if it no longer counts. The caller holds the store's
// lock.
func (f *failure) tell() error {
	switch {
	case f.err == nil || time.Now().After(f.until):
		return nil
	case f.told:
		return &ToldError{cause: f.err}
	}
	f.told = true
	return f.err
}

// ToldError is a failure to read the organization whose cause another resource of this run has already reported.
// Hundreds of resources wait for one request, and one explanation is enough.
type ToldError struct{ cause error }

// Error refers to the message with the cause.
func (e *ToldError) Error() string {
	return "the organization could not be read; another message of this run gives the cause"
}

// Unwrap returns the cause.
func (e *ToldError) Unwrap() error { return e.cause }

// whileReading adds the name of the part to an error.
func whileReading(what string, err error) error { return fmt.Errorf("reading the %s: %w", what, err) }

// Reads and writes of a run overlap. A read replaces the facts unless a later read has replaced them already. The
// writes of this run since the read began are applied to it. The next caller reads again, because the read may have
// missed other changes in the meantime.

// partState is the state of a part in the store.
type partState struct {
	have        bool                    // the snapshot has the part, and it is up to date
	invalidated int                     // how often
	written     []func(*snapshot.Facts) // the changes that this run has put into the facts
	read        int                     // the number of the read that returned it; zero for none
	readAt      time.Time               // when this read began
	wroteAt     time.Time               // when a write of the list ended
	reading     chan struct{}           // closed when the read under way that returns it ends; nil for none
	lastRead    chan struct{}           // closed when the last read of it ends, even if that is out of date
}

// state returns the state of a part. The caller holds the lock.
func (s *Store) state(part Part) *partState {
	if s.parts[part] == nil {
		s.parts[part] = &partState{}
	}
	return s.parts[part]
}

// mark is the state of a part at the start of a read.
type mark struct {
	read        int // its number
	at          time.Time
	invalidated int
	written     int
}

// mark returns the current mark of a part. The caller holds the lock.
func (s *Store) mark(ctx context.Context, part Part) mark {
	of := s.state(part)
	return mark{s.begun, zulip.Now(ctx), of.invalidated, len(of.written)}
}

// settle puts the results of reads that began at marks into the facts, and returns the failed ones. The caller holds
// the lock.
func (s *Store) settle(found map[Part]found, since map[Part]mark) failures {
	failed := failures{}
	s.current = s.current.With(func(facts *snapshot.Facts) {
		for part, one := range found {
			of, began := s.state(part), since[part]
			switch {
			case one.err != nil:
				failed[part] = one.err
			case of.read < began.read:
				facts.Take(one.read, string(part))
				if part == Users {
					s.asked.addUsers(facts)
				}
				for _, write := range of.written[began.written:] {
					write(facts)
				}
				of.have = of.invalidated == began.invalidated
				of.read, of.readAt = began.read, began.at
			}
		}
		if bots := found[Bots]; bots.read != nil { // their accounts are already in the facts
			s.asked.own = bots.read.OwnBots
			s.asked.putBots(facts)
		}
	})
	return failed
}

// put applies a write of this run to the facts of a part, and to the results of reads under way. The caller holds the
// lock.
func (s *Store) put(part Part, write func(*snapshot.Facts)) {
	of := s.state(part)
	of.invalidated++
	of.written = append(of.written, write)
	s.current = s.current.With(write)
}
