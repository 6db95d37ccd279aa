package store

import (
	"context"
	"slices"
	"sync"

	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Where a run writes things of several kinds, the parts that are read after the writes differ: the ten resources that the
// CLI works on then share not one read but one of each kind. A snapshot brings them all, for two requests.

// jointParts are those that a snapshot holds in the same words as their own endpoints.
var jointParts = []Part{Channels, Folders, UserGroups, Linkifiers, ProfileFields}

// fewParts is of how many parts each is read by itself: that is no more requests than a snapshot.
const fewParts = 2

// partRead is a part that is to be read, and how it is read by itself.
type partRead struct {
	part Part
	read func(context.Context) (put, error)
	// sent is called when the request is about to leave: until then others may join.
	sent func()
}

// partAnswer is what came of it.
type partAnswer struct {
	take put
	err  error
}

// readParts reads parts that are wanted at the same time.
func (s *Store) readParts(ctx context.Context, wanted []partRead) ([]partAnswer, error) {
	var joint []Part
	for _, one := range wanted {
		if slices.Contains(jointParts, one.part) {
			joint = append(joint, one.part)
		}
	}
	slices.Sort(joint)
	if joint = slices.Compact(joint); len(joint) <= fewParts {
		joint = nil
	}
	answers := make([]partAnswer, len(wanted))
	var all sync.WaitGroup
	read := sync.OnceValues(func() (*zulip.Snapshot, error) {
		return s.register(zulip.WhenSent(ctx, func() { tellSent(wanted, joint) }), withDefaults(joint))
	})
	for i, one := range wanted {
		all.Go(func() {
			if !slices.Contains(joint, one.part) {
				answers[i].take, answers[i].err = one.read(zulip.WhenSent(ctx, one.sent))
				return
			}
			read, err := read()
			if err != nil {
				answers[i].err = whileReading("organization", err)
				return
			}
			answers[i].take = takePart(read, one.part)
		})
	}
	all.Wait()
	return answers, nil
}

// tellSent tells those whose part is in a snapshot that it is about to be asked for.
func tellSent(wanted []partRead, joint []Part) {
	for _, one := range wanted {
		if slices.Contains(joint, one.part) {
			one.sent()
		}
	}
}

// withDefaults adds which channels are default ones, which the list of channels says by itself.
func withDefaults(parts []Part) []Part {
	if slices.Contains(parts, Channels) && !slices.Contains(parts, defaultChannels) {
		return append(slices.Clone(parts), defaultChannels)
	}
	return parts
}

// takePart takes one part of a snapshot; the default channels belong to the channels.
func takePart(read *zulip.Snapshot, part Part) put {
	one := &zulip.Snapshot{}
	copyPart(one, read, part)
	if part == Channels {
		one.DefaultStreams = read.DefaultStreams
	}
	return func(facts *snapshot.Facts) { facts.Merge(one) }
}
