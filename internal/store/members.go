package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// fewChannels is of how many channels the subscribers are read one by one: a snapshot costs two requests, itself and the
// end of its event queue, however many channels there are.
const fewChannels = 2

// members are who is in the channels, as far as this run has read it.
type members struct {
	asked batcher[int64, subscribers]
	fresh batcher[int64, subscribers]

	mu    sync.Mutex
	known map[int64][]int64
	read  int // channels read one by one
	// changes are what this run has written, by channel, oldest first; forgot is how often everything was forgotten.
	changes map[int64][]membershipChange
	forgot  int
}

// subscribers are who is in channels, by the channels' IDs, and of which channels it could not be read, and why.
type subscribers struct {
	ids    map[int64][]int64
	failed map[int64]error
}

// membershipChange is who has come and who has gone.
type membershipChange struct{ came, left []int64 }

// apply returns who is in a channel after changes: nil only if the account sees no such channel.
func apply(ids []int64, changes []membershipChange) []int64 {
	isThere := ids != nil
	for _, change := range changes {
		ids = distinct(append(without(ids, change.left), change.came...))
	}
	if isThere && ids == nil {
		return []int64{}
	}
	return ids
}

// without returns those who are not among others.
func without[T comparable](all, others []T) []T {
	among := make(map[T]bool, len(others))
	for _, one := range others {
		among[one] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return among[one] })
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

func (m *members) init(s *Store) {
	m.known, m.changes = map[int64][]int64{}, map[int64][]membershipChange{}
	m.asked.ask, m.fresh.ask = s.readSubscribers, s.readFreshSubscribers
}

// Subscribers returns the IDs of the active people and bots in a channel, ascending, as read once in this run; nil if the
// account sees no such channel. Of an archived channel servers tell them from feature level 480 on; below it is nil too,
// so that whether a channel is archived has to be taken from the channel. Of more than a few channels they come in one snapshot, together with
// the channels if those are not read yet. For that the account has to be an administrator: others are not shown the
// subscribers of every channel there, and ask for each.
func (s *Store) Subscribers(ctx context.Context, channel int64) ([]int64, error) {
	s.members.mu.Lock()
	ids, ok := s.members.known[channel]
	s.members.mu.Unlock()
	if ok {
		return ids, nil
	}
	found, _, err := s.members.asked.do(ctx, channel)
	return found.of(channel, err)
}

// of returns who is in a channel, or why that could not be read; err is why no channel could.
func (s subscribers) of(channel int64, err error) ([]int64, error) {
	if err == nil {
		err = s.failed[channel]
	}
	return s.ids[channel], err
}

// SubscribersOf is Subscribers for several channels, by their IDs. What is not known yet is read as Subscribers reads it when
// all of these are asked for at the same time, without waiting for others who ask. Channels of which it cannot be told are
// left out.
func (s *Store) SubscribersOf(ctx context.Context, channels []int64) (map[int64][]int64, error) {
	found := make(map[int64][]int64, len(channels))
	var missing []int64
	s.members.mu.Lock()
	for _, channel := range channels {
		if ids, ok := s.members.known[channel]; ok {
			found[channel] = ids
		} else {
			missing = append(missing, channel)
		}
	}
	s.members.mu.Unlock()
	if len(missing) == 0 {
		return found, nil
	}
	read, err := s.readSubscribers(ctx, missing, nil)
	maps.Copy(found, read.ids)
	for _, channel := range missing {
		if err == nil {
			err = read.failed[channel]
		}
	}
	return found, err
}

// FreshSubscribers is Subscribers, read after the call began. Those that are asked for at the same time are read together.
func (s *Store) FreshSubscribers(ctx context.Context, channel int64) ([]int64, error) {
	found, _, err := s.members.fresh.do(ctx, channel)
	return found.of(channel, err)
}

// ChangedSubscribers registers that this run has changed who is in a channel. Others of this run may have changed it since
// before was read: their changes stay.
func (s *Store) ChangedSubscribers(channel int64, before, after []int64) {
	if !s.members.change(channel, membershipChange{came: without(after, before), left: without(before, after)}) {
		s.invalidate(Subscribers) // what is in a snapshot is without it
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

// forget makes the next to ask read again who is in the channels.
func (m *members) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.known)
	m.read = 0
	m.forgot++
}

// isMany reports whether so many channels, beside those read before, are better read in a snapshot.
func (s *Store) isMany(channels, before int) bool {
	return channels+before > fewChannels && s.self.Role <= zulip.RoleAdministrator
}

func (s *Store) readSubscribers(ctx context.Context, channels []int64, _ func()) (subscribers, error) {
	since := s.members.mark()
	s.members.mu.Lock()
	before := s.members.read
	s.members.mu.Unlock()
	var all map[int64][]int64
	if s.isMany(len(distinct(channels)), before) {
		current, err := s.need(ctx, withNeeds([]Part{Subscribers}))
		if err != nil {
			return subscribers{}, err
		}
		all = current.Subscribers()
	}
	return s.keepSubscribers(ctx, channels, all, since, false), nil
}

func (s *Store) readFreshSubscribers(ctx context.Context, channels []int64, _ func()) (subscribers, error) {
	since := s.members.mark()
	var all map[int64][]int64
	if s.isMany(len(distinct(channels)), 0) {
		read, err := s.register(ctx, []Part{Subscribers})
		if err != nil {
			return subscribers{}, fmt.Errorf("reading the subscribers: %w", err)
		}
		all = read.Subscribers
	}
	return s.keepSubscribers(ctx, channels, all, since, true), nil
}

// keepSubscribers answers from a snapshot, and asks for the channels that are not in it: those that were made since, and
// those that are archived or gone. `Invalid channel ID` is what servers answer for a channel that is gone, and below
// feature level 480 for an archived one.
func (s *Store) keepSubscribers(ctx context.Context, channels []int64, all map[int64][]int64, since membersMark, fresh bool) subscribers {
	found, failed, read := map[int64][]int64{}, map[int64]error{}, 0
	for _, channel := range distinct(channels) {
		if ids, ok := all[channel]; ok {
			found[channel] = ids
			continue
		}
		ids, err := s.client.ChannelSubscribers(ctx, channel)
		if err != nil && !zulip.IsMessage(err, "Invalid channel ID") {
			failed[channel] = fmt.Errorf("reading the subscribers of channel %d: %w", channel, err)
			continue
		}
		if read++; err == nil {
			found[channel] = ids
		}
	}
	s.members.mu.Lock()
	defer s.members.mu.Unlock()
	s.members.read += read
	for channel, ids := range all {
		if _, asked := found[channel]; !asked {
			s.members.keep(channel, ids, since, false)
		}
	}
	for channel, ids := range found {
		found[channel] = s.members.keep(channel, ids, since, fresh)
	}
	return subscribers{found, failed}
}

// distinct returns each of some values once, in ascending order.
func distinct[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}
