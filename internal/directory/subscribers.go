package directory

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// fewChannels is how many channels are asked for one by one who is in them. One answer for all of them is long.
const fewChannels = 20

// subscribers are those in the channels that were asked for. Nobody is asked twice.
type subscribers struct {
	gather[int64, inChannel]
	// known is used by one question at a time, which asking holds; the same goes for all, which says that every
	// channel is known that can be.
	asking chan struct{}
	known  map[int64][]int64
	all    bool
}

// inChannel is who is in a channel, or why that cannot be told; others who asked at the same time may have an answer.
type inChannel struct {
	people []int64
	err    error
}

func (s *subscribers) init(d *Directory) {
	s.asking, s.known = make(chan struct{}, 1), map[int64][]int64{}
	s.ask = d.readSubscribers
}

// Subscribers returns the IDs of the people and bots in a channel that is not archived. The first channels are asked for
// one by one, then all in one request.
func (d *Directory) Subscribers(ctx context.Context, channel int64) ([]int64, error) {
	found, err := d.subscribers.do(ctx, channel)
	if err != nil {
		return nil, err
	}
	return found.people, found.err
}

// ForgetSubscribers makes the next to ask read again who is in the channels. It is for who has put people in or out.
func (d *Directory) ForgetSubscribers() {
	s := &d.subscribers
	s.asking <- struct{}{}
	defer func() { <-s.asking }()
	clear(s.known)
	s.all = false
}

func (d *Directory) readSubscribers(ctx context.Context, channels []int64) ([]inChannel, error) {
	s := &d.subscribers
	s.asking <- struct{}{}
	defer func() { <-s.asking }()
	answers := make([]inChannel, len(channels))
	for i, channel := range channels {
		answers[i].people, answers[i].err = d.subscribersOf(ctx, channel)
	}
	return answers, nil
}

func (d *Directory) subscribersOf(ctx context.Context, channel int64) ([]int64, error) {
	s := &d.subscribers
	if _, ok := s.known[channel]; !ok && !s.all {
		if err := d.readSubscribersOf(ctx, channel); err != nil {
			return nil, err
		}
	}
	found, ok := s.known[channel]
	if !ok {
		return nil, fmt.Errorf("the account the provider uses does not see who is in the channel with the ID %d", channel)
	}
	return found, nil
}

// readSubscribersOf reads who is in a channel, and if it is not the first, in all the others too.
func (d *Directory) readSubscribersOf(ctx context.Context, channel int64) error {
	s := &d.subscribers
	if len(s.known) < fewChannels {
		found, err := d.client.Subscribers(ctx, channel)
		if err != nil {
			return fmt.Errorf("reading who is in the channel: %w", err)
		}
		s.known[channel] = found
		return nil
	}
	all, queue, err := d.client.AllSubscribers(ctx)
	if err != nil {
		return fmt.Errorf("reading who is in the channels: %w", err)
	}
	s.known, s.all = all, true
	if err := d.client.DeleteQueue(ctx, queue); err != nil {
		// The server drops an idle queue by itself after ten minutes (wire-2 §3).
		tflog.Warn(ctx, "Could not close the event queue of the subscribers", map[string]any{"error": err.Error()})
	}
	return nil
}
