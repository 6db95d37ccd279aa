package directory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

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

// organizationParts are what a permission needs to be read or written in words: the groups, the people, and what the
// server says each permission allows.
var organizationParts = []string{zulip.FetchRealm, zulip.FetchUserGroups, zulip.FetchUsers}

// channelParts are what a channel needs beside: by default a channel names a person, its creator, so the people belong
// to it.
var channelParts = append([]string{zulip.FetchChannels, zulip.FetchDefaultStreams, zulip.FetchFolders}, organizationParts...)

// smallParts do not grow with the organization: 18 kB of settings, and lists that people keep by hand, in all
// about 50 kB. They come along with every first flight.
var smallParts = []string{
	zulip.FetchRealm, zulip.FetchDefaultStreams, zulip.FetchDefaultGroups, zulip.FetchFolders, zulip.FetchProfileFields,
	zulip.FetchLinkifiers, zulip.FetchCustomEmoji, zulip.FetchUserDefaults, zulip.FetchPlaygrounds, zulip.FetchDomains,
}

// loneParts are of what depends on nothing and nothing depends on. A configuration may well consist of such things only,
// and then the people and the channels are not read. Others get the time to come before that is believed; and where ten
// ask for lone parts, others may stand behind them whose turn it is not.
var loneParts = []string{zulip.FetchLinkifiers, zulip.FetchUserDefaults, zulip.FetchPlaygrounds, zulip.FetchDomains}

// companyParts come along with everything else. Folders and groups are there for channels, channels name people, and
// people have statuses: in a configuration one leads to the other, and to be read in its turn each would take a flight of
// its own. With 5,000 people and as many channels they are 6 MB, a second of the server's time; no other parts are so
// large but the subscribers, and the bots hold keys: those two are read for who asks, and for nobody else.
var companyParts = []string{zulip.FetchUserGroups, zulip.FetchUsers, zulip.FetchChannels, zulip.FetchStatuses}

// need returns a snapshot that holds the parts, after one request for those that are missing. Whoever asks meanwhile
// waits for the same request.
func (d *Directory) need(ctx context.Context, parts []string) (*View, error) {
	for {
		d.mu.Lock()
		view, complete := d.view, len(d.missing(parts)) == 0
		var err error
		if !complete {
			err = d.failure.tell()
		}
		d.mu.Unlock()
		if complete || err != nil {
			return view, err
		}
		if _, err := d.flights.do(ctx, parts); err != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// missing returns the parts that the snapshot does not hold. Which channels are default ones is a fact of the channels.
// The caller holds the lock.
func (d *Directory) missing(parts []string) []string {
	return slices.DeleteFunc(slices.Clone(parts), func(part string) bool {
		if part == zulip.FetchDefaultStreams {
			part = zulip.FetchChannels
		}
		return d.have[part]
	})
}

// areLone reports whether it is only lone parts that are asked for, and nobody can stand behind those who ask.
func areLone(asked [][]string) bool {
	return len(asked) < atOnce && !slices.ContainsFunc(slices.Concat(asked...), func(part string) bool { return !slices.Contains(loneParts, part) })
}

// gatheringOf is how long a flight waits for others than those who have asked.
func gatheringOf(asked [][]string) time.Duration {
	if areLone(asked) {
		return longest
	}
	return gathering
}

// company returns the parts that come along with others. What has been read before comes along no more: after a write it
// may be out of date, and is read again by who needs it. The caller holds the lock.
func (d *Directory) company(parts []string, lone bool) []string {
	along := slices.Clone(smallParts)
	if !lone {
		along = append(along, companyParts...)
	}
	return slices.DeleteFunc(along, func(part string) bool {
		return d.have[part] || d.forgot[part] > 0 || d.reread[part] > 0 || slices.Contains(parts, part)
	})
}

// fly fetches what somebody asks for and puts it into the view.
func (d *Directory) fly(ctx context.Context, asked [][]string) ([]struct{}, error) {
	answers := make([]struct{}, len(asked))
	d.mu.Lock()
	parts := d.missing(slices.Concat(asked...))
	slices.Sort(parts)
	parts = slices.Compact(parts)
	if len(parts) == 0 {
		d.mu.Unlock()
		return answers, nil // the flight before has brought it
	}
	parts = withDefaults(append(parts, d.company(parts, areLone(asked))...))
	forgot, reread := maps.Clone(d.forgot), maps.Clone(d.reread)
	began := time.Now()
	d.mu.Unlock()

	snapshot, err := d.register(ctx, parts)

	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.failure = failure{err: whileReading("organization", err), until: time.Now().Add(failureHolds)}
		return nil, err
	}
	d.failure = failure{}
	for _, part := range parts {
		if d.forgot[part] == forgot[part] && d.reread[part] == reread[part] {
			d.have[part] = true
			d.lists.read[part] = began
		} else {
			leaveOut(snapshot, part) // it may be older than what has been written or read meanwhile
		}
	}
	d.view = d.view.with(func(facts *facts) { facts.merge(snapshot) })
	return answers, nil
}

// leaveOut takes out of a snapshot a part of those that are read by themselves too.
func leaveOut(snapshot *zulip.Snapshot, part string) { copyPart(snapshot, &zulip.Snapshot{}, part) }

// copyPart makes a part of a snapshot what it is in another. It knows those that are read by themselves too.
func copyPart(into, from *zulip.Snapshot, part string) {
	switch part {
	case zulip.FetchRealm:
		into.Realm = from.Realm
	case zulip.FetchChannels:
		into.Channels = from.Channels
	case zulip.FetchFolders:
		into.Folders = from.Folders
	case zulip.FetchUserGroups:
		into.UserGroups = from.UserGroups
	case zulip.FetchUsers:
		into.Users = from.Users
	case zulip.FetchBots:
		into.Bots = from.Bots
	case zulip.FetchLinkifiers:
		into.Linkifiers = from.Linkifiers
	case zulip.FetchProfileFields:
		into.ProfileFields = from.ProfileFields
	case zulip.FetchCustomEmoji:
		into.CustomEmoji = from.CustomEmoji
	case zulip.FetchPlaygrounds:
		into.Playgrounds = from.Playgrounds
	case zulip.FetchDomains:
		into.Domains = from.Domains
	case zulip.FetchDefaultGroups:
		into.DefaultGroups = from.DefaultGroups
	case zulip.FetchStatuses:
		into.Statuses = from.Statuses
	case zulip.FetchUserDefaults:
		into.UserDefaults = from.UserDefaults
	case zulip.FetchSubscribers:
		into.Subscribers = from.Subscribers
	}
}

// register fetches parts and closes the event queue that the server opens for it.
func (d *Directory) register(ctx context.Context, parts []string) (*zulip.Snapshot, error) {
	snapshot, err := d.client.Register(ctx, parts)
	if err != nil {
		return nil, err
	}
	if err := d.client.DeleteQueue(ctx, snapshot.QueueID); err != nil {
		// The server drops an idle queue by itself after ten minutes (server-behavior §R24).
		tflog.Warn(ctx, "Could not close the event queue of the snapshot", map[string]any{"error": err.Error()})
	}
	return snapshot, nil
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
