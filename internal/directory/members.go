package directory

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// fewChannels is of how many channels the subscribers are read one by one: a snapshot costs two requests, itself and the
// end of its event queue, however many channels there are.
const fewChannels = 2

// members are who is in the channels, as far as this run has read it.
type members struct {
	asked gather[int64, []int64]
	fresh gather[int64, []int64]

	mu    sync.Mutex
	known map[int64][]int64
	read  int // channels read one by one
	// changes are what this run has written, by channel, oldest first; forgot is how often everything was forgotten.
	changes map[int64][]membershipChange
	forgot  int
}

// membershipChange is who has come and who has gone.
type membershipChange struct{ came, left []int64 }

// apply returns who is in a channel after changes.
func apply(ids []int64, changes []membershipChange) []int64 {
	for _, change := range changes {
		ids = distinct(append(without(ids, change.left), change.came...))
	}
	return ids
}

// without returns those who are not among others.
func without(ids, others []int64) []int64 {
	among := make(map[int64]bool, len(others))
	for _, id := range others {
		among[id] = true
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return among[id] })
}

// membersMark is how things stood when a read of subscribers began.
type membersMark struct {
	changes map[int64]int // how many of each channel had been made
	forgot  int
}

func (m *members) mark() membersMark {
	m.mu.Lock()
	defer m.mu.Unlock()
	made := make(map[int64]int, len(m.changes))
	for channel, changes := range m.changes {
		made[channel] = len(changes)
	}
	return membersMark{made, m.forgot}
}

// keep takes in what a read of a channel has brought that began at a mark, and returns it with what this run has written
// since. What is known already is newer, unless the read was asked for. The caller holds the lock.
func (m *members) keep(channel int64, ids []int64, since membersMark, asked bool) []int64 {
	if known, ok := m.known[channel]; ok && !asked {
		return known
	}
	ids = apply(ids, m.changes[channel][since.changes[channel]:])
	if m.forgot == since.forgot {
		m.known[channel] = ids
	}
	return ids
}

func (m *members) init(d *Directory) {
	m.known, m.changes = map[int64][]int64{}, map[int64][]membershipChange{}
	m.asked = gather[int64, []int64]{ask: d.readSubscribers}
	m.fresh = gather[int64, []int64]{ask: d.readFreshSubscribers}
}

// Subscribers returns the IDs of the active people and bots in a channel, ascending, as read once in this run; nil if the
// account sees no such channel. Of an archived channel servers tell them from feature level 480 on; below it is nil too,
// so that whether a channel is archived has to be taken from the channel. Of more than a few channels they come in one snapshot, together with
// the channels if those are not read yet. For that the account has to be an administrator: others are not shown the
// subscribers of every channel there, and ask for each.
func (d *Directory) Subscribers(ctx context.Context, channel int64) ([]int64, error) {
	d.members.mu.Lock()
	ids, ok := d.members.known[channel]
	d.members.mu.Unlock()
	if ok {
		return ids, nil
	}
	return d.members.asked.do(ctx, channel)
}

// ChannelsAndSubscribers returns the snapshot with the channels and who is in them, for who is going to look at most. An
// account that is no administrator is not shown the subscribers of every channel: then they are not in the snapshot.
func (d *Directory) ChannelsAndSubscribers(ctx context.Context) (*View, error) {
	if d.self.Role > zulip.RoleAdministrator {
		return d.need(ctx, channelParts)
	}
	return d.need(ctx, append(slices.Clone(channelParts), zulip.FetchSubscribers))
}

// Subscribers returns who is in a channel, if the snapshot holds it; it never does of an archived channel.
func (v *View) Subscribers(channel int64) (ids []int64, ok bool) {
	ids, ok = v.facts.subscribers[channel]
	return ids, ok
}

// FreshSubscribers is Subscribers, read after the call began. Those that are asked for at the same time are read together.
func (d *Directory) FreshSubscribers(ctx context.Context, channel int64) ([]int64, error) {
	return d.members.fresh.do(ctx, channel)
}

// ChangedSubscribers registers that this run has changed who is in a channel. Others of this run may have changed it since
// before was read: their changes stay.
func (d *Directory) ChangedSubscribers(channel int64, before, after []int64) {
	if !d.members.change(channel, membershipChange{came: without(after, before), left: without(before, after)}) {
		d.Forget(zulip.FetchSubscribers) // what is in a snapshot is without it
	}
}

// change takes in a change, and reports whether it is known who was in the channel.
func (m *members) change(channel int64, change membershipChange) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changes[channel] = append(m.changes[channel], change)
	ids, ok := m.known[channel]
	if ok {
		m.known[channel] = apply(ids, []membershipChange{change})
	}
	return ok
}

// ForgetSubscribers makes the next to ask read again who is in the channels.
func (d *Directory) ForgetSubscribers() {
	d.Forget(zulip.FetchSubscribers)
	d.members.mu.Lock()
	defer d.members.mu.Unlock()
	clear(d.members.known)
	d.members.read = 0
	d.members.forgot++
}

// isMany reports whether so many channels, beside those read before, are better read in a snapshot.
func (d *Directory) isMany(channels, before int) bool {
	return channels+before > fewChannels && d.self.Role <= zulip.RoleAdministrator
}

func (d *Directory) readSubscribers(ctx context.Context, channels []int64) ([][]int64, error) {
	since := d.members.mark()
	d.members.mu.Lock()
	before := d.members.read
	d.members.mu.Unlock()
	var all map[int64][]int64
	if d.isMany(len(distinct(channels)), before) {
		view, err := d.need(ctx, append(slices.Clone(channelParts), zulip.FetchSubscribers))
		if err != nil {
			return nil, err
		}
		all = view.facts.subscribers
	}
	return d.keepSubscribers(ctx, channels, all, since, false)
}

func (d *Directory) readFreshSubscribers(ctx context.Context, channels []int64) ([][]int64, error) {
	since := d.members.mark()
	var all map[int64][]int64
	if d.isMany(len(distinct(channels)), 0) {
		snapshot, err := d.register(ctx, []string{zulip.FetchSubscribers})
		if err != nil {
			return nil, fmt.Errorf("reading the subscribers: %w", err)
		}
		all = snapshot.Subscribers
	}
	return d.keepSubscribers(ctx, channels, all, since, true)
}

// keepSubscribers answers from a snapshot, and asks for the channels that are not in it: those that were made since, and
// those that are archived or gone. `Invalid channel ID` is what servers answer for a channel that is gone, and below
// feature level 480 for an archived one.
func (d *Directory) keepSubscribers(ctx context.Context, channels []int64, all map[int64][]int64, since membersMark, fresh bool) ([][]int64, error) {
	found, read := map[int64][]int64{}, 0
	for _, channel := range distinct(channels) {
		if ids, ok := all[channel]; ok {
			found[channel] = ids
			continue
		}
		ids, err := d.client.ChannelSubscribers(ctx, channel)
		if err != nil && !zulip.IsMessage(err, "Invalid channel ID") {
			return nil, fmt.Errorf("reading the subscribers of channel %d: %w", channel, err)
		}
		if read++; err == nil {
			found[channel] = ids
		}
	}
	d.members.mu.Lock()
	defer d.members.mu.Unlock()
	d.members.read += read
	for channel, ids := range all {
		if _, asked := found[channel]; !asked {
			d.members.keep(channel, ids, since, false)
		}
	}
	for channel, ids := range found {
		found[channel] = d.members.keep(channel, ids, since, fresh)
	}
	answers := make([][]int64, len(channels))
	for i, channel := range channels {
		answers[i] = found[channel]
	}
	return answers, nil
}

func distinct(ids []int64) []int64 { return slices.Compact(slices.Sorted(slices.Values(ids))) }
