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
	// forgot is how often everything was forgotten.
	forgot int
}

// subscribers are who is in channels, by the channels' IDs, and of which channels it could not be read, and why.
type subscribers struct {
	ids    map[int64][]int64
	failed map[int64]error
}

// of returns who is in a channel, or why that could not be read; err is why no channel could.
func (s subscribers) of(channel int64, err error) ([]int64, error) {
	if err == nil {
		err = s.failed[channel]
	}
	return s.ids[channel], err
}

// without returns those who are not among others.
func without[T comparable](all, others []T) []T {
	among := make(map[T]bool, len(others))
	for _, one := range others {
		among[one] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return among[one] })
}

// keep takes in what a read of a channel has brought that began when everything had been forgotten so often, and returns it.
// What is known already is newer, unless the read was asked for. The caller holds the lock.
func (m *members) keep(channel int64, ids []int64, forgot int, asked bool) []int64 {
	if known, ok := m.known[channel]; ok && !asked {
		return known
	}
	if m.forgot == forgot {
		m.known[channel] = ids
	}
	return ids
}

func (m *members) init(s *Store) {
	m.known = map[int64][]int64{}
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
	s.members.mu.Lock()
	before, forgot := s.members.read, s.members.forgot
	s.members.mu.Unlock()
	var all map[int64][]int64
	if s.isMany(len(distinct(channels)), before) {
		current, err := s.need(ctx, withNeeds([]Part{Subscribers}))
		if err != nil {
			return subscribers{}, err
		}
		all = current.Subscribers()
	}
	return s.keepSubscribers(ctx, channels, all, forgot, false), nil
}

func (s *Store) readFreshSubscribers(ctx context.Context, channels []int64, _ func()) (subscribers, error) {
	s.members.mu.Lock()
	forgot := s.members.forgot
	s.members.mu.Unlock()
	var all map[int64][]int64
	if s.isMany(len(distinct(channels)), 0) {
		read, err := s.register(ctx, []Part{Subscribers})
		if err != nil {
			return subscribers{}, fmt.Errorf("reading the subscribers: %w", err)
		}
		all = read.Subscribers
	}
	return s.keepSubscribers(ctx, channels, all, forgot, true), nil
}

// keepSubscribers answers from a snapshot, and asks for the channels that are not in it: those that were made since, and
// those that are archived or gone. `Invalid channel ID` is what servers answer for a channel that is gone, and below
// feature level 480 for an archived one.
func (s *Store) keepSubscribers(ctx context.Context, channels []int64, all map[int64][]int64, forgot int, fresh bool) subscribers {
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
			s.members.keep(channel, ids, forgot, false)
		}
	}
	for channel, ids := range found {
		found[channel] = s.members.keep(channel, ids, forgot, fresh)
	}
	return subscribers{found, failed}
}

// distinct returns each of some values once, in ascending order.
func distinct[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}
