// Package directory holds one snapshot of an organization: names and numbers, who is in what, the channels. Every
// resource of a run reads from it, so that a plan costs the same few requests whatever its size.
package directory

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Directory reads the organization once and answers from what it has read. It is safe for concurrent use.
type Directory struct {
	client *zulip.Client
	self   *zulip.User
	level  int
	scarce func() bool // whether requests are, as [zulip.Client.Scarce] tells

	mu      sync.Mutex
	view    *View
	have    map[string]bool
	forgot  map[string]int   // how often a part was forgotten
	reread  map[string]int   // how often a part was read by itself
	written map[string][]put // what this run has put into the facts of a part
	flights gather[[]string, struct{}]
	failure failure             // of the last flight
	rereads map[string]*rereads // by the part that they read
	lists   lists
	joint   gather[partRead, partAnswer]
	// asking are those who wait for a read that has not begun, unanswered those too who wait for its end, and most is how
	// many the latter have ever been.
	asking, unanswered, most int

	writes  int
	settled chan struct{} // closed when writes comes to zero; nil while it is zero
	planned map[permission.Principal]bool
	renamed map[int64]string
	called  map[string]int64 // the channels by the names that this run gives them; 0 is one that it creates
	// takenOut are channels that this run has taken out of a folder, with the folder.
	takenOut map[int64]int64

	own     own
	people  people
	members members
	locks   runstate.Locks // of the lists that are written
	groups  groupPlans
}

// New returns an empty directory. self is the account of the client, featureLevel the server's, zero if unknown.
func New(client *zulip.Client, self *zulip.User, featureLevel int) *Directory {
	d := &Directory{
		client: client, self: self, level: featureLevel, scarce: client.Scarce,
		have: map[string]bool{}, forgot: map[string]int{}, reread: map[string]int{}, rereads: map[string]*rereads{}, written: map[string][]put{},
		planned: map[permission.Principal]bool{}, renamed: map[int64]string{}, called: map[string]int64{},
		takenOut: map[int64]int64{},
		lists:    lists{started: time.Now(), wrote: map[string]time.Time{}, read: map[string]time.Time{}},
	}
	d.view = newView(d, noFacts())
	d.flights = gather[[]string, struct{}]{ask: d.fly, quiet: gatheringOf, turn: make(chan struct{}, 1)}
	d.joint = gather[partRead, partAnswer]{ask: d.readParts}
	d.own.init(d)
	d.people.emoji.read = d.readEmojiNames
	d.members.init(d)
	return d
}

// Self is the account the provider acts as.
func (d *Directory) Self() *zulip.User { return d.self }

// FeatureLevel is what the server says it can; zero if it did not say.
func (d *Directory) FeatureLevel() int { return d.level }

// Organization returns the snapshot with groups, people and settings in it.
func (d *Directory) Organization(ctx context.Context) (*View, error) {
	return d.need(ctx, organizationParts)
}

// People returns the snapshot with the people in it and the names of their profile fields.
func (d *Directory) People(ctx context.Context) (*View, error) {
	return d.need(ctx, []string{zulip.FetchUsers, zulip.FetchProfileFields})
}

// UserDefaults returns the snapshot with the settings in it that new accounts start with.
func (d *Directory) UserDefaults(ctx context.Context) (*View, error) {
	return d.need(ctx, []string{zulip.FetchUserDefaults})
}

// DefaultChannelGroups returns the snapshot with the groups of channels in it that are offered to new people, and with
// the channels.
func (d *Directory) DefaultChannelGroups(ctx context.Context) (*View, error) {
	return d.need(ctx, append([]string{zulip.FetchDefaultGroups}, channelParts...))
}

// CustomEmoji returns the snapshot with the organization's own emoji in it, and with who may add some.
func (d *Directory) CustomEmoji(ctx context.Context) (*View, error) {
	return d.need(ctx, append([]string{zulip.FetchCustomEmoji}, organizationParts...))
}

// Channels returns the snapshot with the channels in it too.
func (d *Directory) Channels(ctx context.Context) (*View, error) {
	return d.need(ctx, channelParts)
}

// Plan registers a principal that this run creates, so that whoever is planned later may already name it.
func (d *Directory) Plan(principal permission.Principal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.planned[principal] = true
}

// PlanChannelName registers the name that this run leaves a channel with: its old name counts as free, and it is found
// by the new one. An archived channel counts as taken back. ID 0 is a channel that this run creates.
func (d *Directory) PlanChannelName(id int64, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.called[fold(name)] = id
	if id != 0 {
		d.renamed[id] = name
	}
}

// plannedChannel returns the ID of the channel to which this run gives a name; 0 for one that it creates.
func (d *Directory) plannedChannel(name string) (id int64, planned bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id, planned = d.called[fold(name)]
	return id, planned
}

// Forget drops what has become out of date, so that the next to ask reads it again.
func (d *Directory) Forget(parts ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget(parts...)
}

// forget is Forget for a caller who holds the lock.
func (d *Directory) forget(parts ...string) {
	for _, part := range parts {
		delete(d.have, part)
		d.forgot[part]++
	}
}

// isPlanned reports whether this run creates what the principal names.
func (d *Directory) isPlanned(principal permission.Principal) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.planned[principal]
}

// plannedName is the name a channel has after this run, if it gets another one.
func (d *Directory) plannedName(id int64) (string, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	name, ok := d.renamed[id]
	return name, ok
}

// fold is how the server compares channel names and addresses: without regard to case.
func fold(text string) string { return strings.ToLower(text) }
