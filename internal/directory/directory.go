// Package directory holds one snapshot of an organization: names and numbers, who is in what, the channels. Every
// resource of a run reads from it, so that a plan costs the same few requests whatever its size.
package directory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Directory reads the organization once and answers from what it has read. It is safe for concurrent use.
type Directory struct {
	client *zulip.Client
	self   *zulip.User
	level  int
	scarce func() bool // whether requests are, as [zulip.Client.Scarce] tells

	mu       sync.Mutex
	view     *View
	have     map[string]bool
	forgot   map[string]int // how often a part was forgotten
	reread   map[string]int // how often a part was read by itself
	flight   *flight
	rereads  map[string]*rereads // by the part that they read
	writes   int
	settled  chan struct{} // closed when writes comes to zero; nil while it is zero
	planned  map[permission.Principal]bool
	renamed  map[int64]string
	managed  map[int64]bool
	archived map[string]int64
	ours     map[string]int64
	// takenOut are channels that this run has taken out of a folder, with the folder.
	takenOut map[int64]int64

	own     own
	people  people
	members members
	claims  claims
	groups  groupPlans
}

// flight is one request for a snapshot, and everybody who waits for it.
type flight struct {
	parts []string
	done  chan struct{}
	err   error
}

// New returns an empty directory. self is the account of the client, featureLevel the server's, zero if unknown.
func New(client *zulip.Client, self *zulip.User, featureLevel int) *Directory {
	d := &Directory{
		client: client, self: self, level: featureLevel, scarce: client.Scarce,
		view: &View{}, have: map[string]bool{}, forgot: map[string]int{}, reread: map[string]int{}, rereads: map[string]*rereads{},
		planned: map[permission.Principal]bool{}, renamed: map[int64]string{},
		managed: map[int64]bool{}, archived: map[string]int64{}, ours: map[string]int64{},
		takenOut: map[int64]int64{},
	}
	d.own.init(d)
	d.people.emoji.read = d.readEmojiNames
	d.members.init(d)
	return d
}

// Self is the account the provider acts as.
func (d *Directory) Self() *zulip.User { return d.self }

// FeatureLevel is what the server says it can; zero if it did not say (wire-1 §13).
func (d *Directory) FeatureLevel() int { return d.level }

// organizationParts are what a permission needs to be read or written in words: the groups, the people, and what the
// server says each permission allows.
var organizationParts = []string{zulip.FetchRealm, zulip.FetchUserGroups, zulip.FetchUsers}

// channelParts are what a channel needs beside: by default a channel names a person, its creator, so the people belong
// to it.
var channelParts = append([]string{zulip.FetchChannels, zulip.FetchDefaultStreams, zulip.FetchFolders}, organizationParts...)

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

// need returns a snapshot that holds the parts, after one request for those that are missing. Whoever asks meanwhile
// waits for the same request.
func (d *Directory) need(ctx context.Context, parts []string) (*View, error) {
	for {
		d.mu.Lock()
		missing := slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return d.have[part] })
		if len(missing) == 0 {
			view := d.view.with(d)
			d.mu.Unlock()
			return view, nil
		}
		current := d.flight
		if current == nil {
			current = &flight{parts: missing, done: make(chan struct{})}
			d.flight = current
			// The first to ask may give up; the others still want the answer.
			go d.fly(context.WithoutCancel(ctx), current)
		}
		d.mu.Unlock()

		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-current.done:
			if current.err != nil {
				return nil, current.err
			}
		}
	}
}

// fly fetches the parts of a flight and puts them into the view.
func (d *Directory) fly(ctx context.Context, current *flight) {
	d.mu.Lock()
	forgot, reread := maps.Clone(d.forgot), maps.Clone(d.reread)
	d.mu.Unlock()
	snapshot, err := d.register(ctx, current.parts)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		current.err = whileReading("organization", err)
	} else {
		for _, part := range current.parts {
			if d.forgot[part] == forgot[part] && d.reread[part] == reread[part] {
				d.have[part] = true
			} else {
				leaveOut(snapshot, part) // it may be older than what has been written or read meanwhile
			}
		}
		d.view = d.view.merge(snapshot)
	}
	d.flight = nil
	close(current.done)
}

// leaveOut takes out of a snapshot a part of those that are read by themselves too.
func leaveOut(snapshot *zulip.Snapshot, part string) {
	switch part {
	case zulip.FetchChannels:
		snapshot.Channels = nil
	case zulip.FetchFolders:
		snapshot.Folders = nil
	case zulip.FetchUserGroups:
		snapshot.UserGroups = nil
	case zulip.FetchUsers:
		snapshot.Users = nil
	case zulip.FetchBots:
		snapshot.Bots = nil
	case zulip.FetchLinkifiers:
		snapshot.Linkifiers = nil
	case zulip.FetchProfileFields:
		snapshot.ProfileFields = nil
	}
}

// register fetches parts and closes the event queue that the server opens for it.
func (d *Directory) register(ctx context.Context, parts []string) (*zulip.Snapshot, error) {
	snapshot, err := d.client.Register(ctx, parts)
	if err != nil {
		return nil, err
	}
	if err := d.client.DeleteQueue(ctx, snapshot.QueueID); err != nil {
		// The server drops an idle queue by itself after ten minutes (wire-2 §3).
		tflog.Warn(ctx, "Could not close the event queue of the snapshot", map[string]any{"error": err.Error()})
	}
	return snapshot, nil
}

// Plan registers a principal that this run creates, so that whoever is planned later may already name it.
func (d *Directory) Plan(principal permission.Principal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.planned[principal] = true
}

// PlanChannelName registers that this run renames a channel, so that its old name counts as free.
func (d *Directory) PlanChannelName(id int64, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.renamed[id] = name
}

// Manage registers a channel that the state holds.
func (d *Directory) Manage(id int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.managed[id] = true
}

// IsManaged reports whether the state holds a channel.
func (d *Directory) IsManaged(id int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.managed[id]
}

// Archived registers a channel that this run has archived, with the name it keeps.
func (d *Directory) Archived(id int64, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.archived[fold(name)] = id
}

// ArchivedHere returns, once, the channel of that name that this run has archived.
func (d *Directory) ArchivedHere(name string) (int64, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id, ok := d.archived[fold(name)]
	delete(d.archived, fold(name))
	return id, ok
}

// PlanOurs registers a channel that is taken for the result of an earlier apply whose state was lost.
func (d *Directory) PlanOurs(id int64, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ours[fold(name)] = id
}

// Ours returns the channel of that name that [Directory.PlanOurs] registered.
func (d *Directory) Ours(name string) (int64, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id, ok := d.ours[fold(name)]
	return id, ok
}

// Forget drops what has become out of date, so that the next to ask reads it again.
func (d *Directory) Forget(parts ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, part := range parts {
		delete(d.have, part)
		d.forgot[part]++
	}
}

// whileReading says what could not be read.
func whileReading(what string, err error) error { return fmt.Errorf("reading the %s: %w", what, err) }

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
