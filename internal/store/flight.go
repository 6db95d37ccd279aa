package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// A flight is one request for a snapshot. The CLI reads some ten resources at once, and begins with the next when one of
// them is answered; which comes first is chance, but whatever others depend on comes before them. So a flight waits a
// moment for all who ask first, and brings more than they ask for: a later flight costs two requests and their way there
// and back, some 100 ms, and that is more than what comes along costs in all but the largest organizations.
const (
	// gathering is how long nobody has asked before a flight begins: the first ten ask a few milliseconds apart.
	gathering = 10 * time.Millisecond
	// failureHolds is how long a failed flight answers for those that would follow it. The client has repeated the request
	// as often as it may; hundreds of resources that each try again would only make the run's end slow to come.
	failureHolds = 5 * time.Second
)

// smallParts do not grow with the organization: 18 kB of settings, and lists that people keep by hand, in all
// about 50 kB. They come along with every first flight.
var smallParts = []Part{
	Organization, defaultChannels, DefaultChannelGroups, Folders, ProfileFields,
	Linkifiers, CustomEmoji, UserDefaults, Playgrounds, Domains,
}

// loneParts are of what depends on nothing and nothing depends on. A configuration may well consist of such things only,
// and then the people and the channels are not read. Others get the time to come before that is believed; and where ten
// ask for lone parts, others may stand behind them whose turn it is not.
var loneParts = []Part{Linkifiers, UserDefaults, Playgrounds, Domains}

// companyParts come along with everything else. Folders and groups are there for channels, channels name people, and
// people have statuses: in a configuration one leads to the other, and to be read in its turn each would take a flight of
// its own. With 5,000 people and as many channels they are 6 MB, a second of the server's time; no other parts are so
// large but the subscribers, and the bots hold keys: those two are read for who asks, and for nobody else.
var companyParts = []Part{UserGroups, Users, Channels, Statuses}

// need returns a snapshot that holds the parts, after one request for those that are missing. Whoever asks meanwhile
// waits for the same request.
func (s *Store) need(ctx context.Context, parts []Part) (*snapshot.Snapshot, error) {
	for {
		s.mu.Lock()
		current, complete := s.current, len(s.missing(parts)) == 0
		var err error
		if !complete {
			err = s.failure.tell()
		}
		s.mu.Unlock()
		if complete || err != nil {
			return current, err
		}
		if _, err := s.flights.do(ctx, parts); err != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// missing returns the parts that the snapshot does not hold. Which channels are default ones is a fact of the channels.
// The caller holds the lock.
func (s *Store) missing(parts []Part) []Part {
	return slices.DeleteFunc(slices.Clone(parts), func(part Part) bool {
		if part == defaultChannels {
			part = Channels
		}
		return s.have[part]
	})
}

// areLone reports whether it is only lone parts that are asked for, and nobody can stand behind those who ask.
func areLone(asked [][]Part) bool {
	return len(asked) < atOnce && !slices.ContainsFunc(slices.Concat(asked...), func(part Part) bool { return !slices.Contains(loneParts, part) })
}

// gatheringOf is how long a flight waits for others than those who have asked.
func gatheringOf(asked [][]Part) time.Duration {
	if areLone(asked) {
		return longest
	}
	return gathering
}

// company returns the parts that come along with others. What has been read before comes along no more: after a write it
// may be out of date, and is read again by who needs it. The caller holds the lock.
func (s *Store) company(parts []Part, lone bool) []Part {
	along := slices.Clone(smallParts)
	if !lone {
		along = append(along, companyParts...)
	}
	return slices.DeleteFunc(along, func(part Part) bool {
		return s.have[part] || s.forgot[part] > 0 || s.reread[part] > 0 || slices.Contains(parts, part)
	})
}

// fly fetches what somebody asks for and puts it into the view.
func (s *Store) fly(ctx context.Context, asked [][]Part) ([]struct{}, error) {
	answers := make([]struct{}, len(asked))
	s.mu.Lock()
	parts := s.missing(slices.Concat(asked...))
	slices.Sort(parts)
	parts = slices.Compact(parts)
	if len(parts) == 0 {
		s.mu.Unlock()
		return answers, nil // the flight before has brought it
	}
	parts = withDefaults(append(parts, s.company(parts, areLone(asked))...))
	forgot, reread := maps.Clone(s.forgot), maps.Clone(s.reread)
	began := time.Now()
	s.mu.Unlock()

	read, err := s.register(ctx, parts)

	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failure = failure{err: whileReading("organization", err), until: time.Now().Add(failureHolds)}
		return nil, err
	}
	s.failure = failure{}
	for _, part := range parts {
		if s.forgot[part] == forgot[part] && s.reread[part] == reread[part] {
			s.have[part] = true
			s.lists.read[part] = began
		} else {
			leaveOut(read, part) // it may be older than what has been written or read meanwhile
		}
	}
	s.current = s.current.With(func(facts *snapshot.Facts) { facts.Merge(read) })
	return answers, nil
}

// leaveOut takes out of a snapshot a part of those that are read by themselves too.
func leaveOut(read *zulip.Snapshot, part Part) { copyPart(read, &zulip.Snapshot{}, part) }

// copyPart makes a part of a snapshot what it is in another. It knows those that are read by themselves too.
func copyPart(into, from *zulip.Snapshot, part Part) {
	switch part {
	case Organization:
		into.Realm = from.Realm
	case Channels:
		into.Channels = from.Channels
	case Folders:
		into.Folders = from.Folders
	case UserGroups:
		into.UserGroups = from.UserGroups
	case Users:
		into.Users = from.Users
	case Bots:
		into.Bots = from.Bots
	case Linkifiers:
		into.Linkifiers = from.Linkifiers
	case ProfileFields:
		into.ProfileFields = from.ProfileFields
	case CustomEmoji:
		into.CustomEmoji = from.CustomEmoji
	case Playgrounds:
		into.Playgrounds = from.Playgrounds
	case Domains:
		into.Domains = from.Domains
	case DefaultChannelGroups:
		into.DefaultGroups = from.DefaultGroups
	case Statuses:
		into.Statuses = from.Statuses
	case UserDefaults:
		into.UserDefaults = from.UserDefaults
	case Subscribers:
		into.Subscribers = from.Subscribers
	}
}

// register fetches parts and closes the event queue that the server opens for it.
func (s *Store) register(ctx context.Context, parts []Part) (*zulip.Snapshot, error) {
	fetch := make([]string, len(parts))
	for i, part := range parts {
		fetch[i] = string(part)
	}
	read, err := s.client.Register(ctx, fetch)
	if err != nil {
		return nil, err
	}
	if err := s.client.DeleteQueue(ctx, read.QueueID); err != nil {
		// The server drops an idle queue by itself after ten minutes (server-behavior §R24).
		tflog.Warn(ctx, "Could not close the event queue of the snapshot", map[string]any{"error": err.Error()})
	}
	return read, nil
}

// failure is that of the last flight, as long as it answers for those that would follow.
type failure struct {
	err   error
	until time.Time
	told  bool
}

// tell returns the failure, to the first in full; nil if there is none any more. The caller holds the directory's lock.
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

// ToldError is a failure to read the organization whose cause somebody else in this run has been told: hundreds of
// resources wait for one request, and one explanation is enough.
type ToldError struct{ cause error }

// Error says where the cause is to be found.
func (e *ToldError) Error() string {
	return "the organization could not be read: another message of this run says why"
}

// Unwrap returns the cause.
func (e *ToldError) Unwrap() error { return e.cause }

// whileReading says what could not be read.
func whileReading(what string, err error) error { return fmt.Errorf("reading the %s: %w", what, err) }
