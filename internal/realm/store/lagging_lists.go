package store

import (
	"context"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// lagWindow is how long after a write a list is not relied on: a server keeps linkifiers, custom emoji and the like in
// caches, each kind as one list. Where writes of a kind overlap, or a read overlaps with a write, the list can lack what
// was just added and still hold what was just deleted. So a run sends one write of a kind at a time, and does not conclude
// from a single read that something is gone or there. The last write that counts may be another process's, such as an
// apply that was just followed by a plan: for a process its own start is a write.
const lagWindow = time.Second

// WriteList sends a write of one of the lists when no other write of that list is under way. An error of which nothing was
// sent is that of a context that ended first.
func (s *Store) WriteList(ctx context.Context, part Part, send func(context.Context) error) error {
	// A read waits for those too who wait for their turn.
	return s.Write(ctx, func(ctx context.Context) error {
		unlock, err := s.run.Lock(ctx, string(part))
		if err != nil {
			return err
		}
		defer unlock()
		defer func() {
			s.invalidate(part)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.state(part).wroteAt = time.Now()
		}()
		return send(ctx)
	})
}

// ReadUntil returns a snapshot with one of the lists as soon as shows is true of it. If it never is, the snapshot is one
// that can be relied on.
func (s *Store) ReadUntil(ctx context.Context, part Part, shows func(*snapshot.Snapshot) bool) (*snapshot.Snapshot, error) {
	current, err := s.Read(ctx, part)
	if err != nil || shows(current) {
		return current, err
	}
	s.mu.Lock()
	readAt := s.state(part).readAt
	s.mu.Unlock()
	if readAt.After(s.reliable(part)) {
		return current, nil
	}
	const first = lagWindow / 10
	if err := zulip.Sleep(ctx, first); err != nil {
		return nil, err
	}
	return s.readUntil(ctx, part, nil, 2*first, shows)
}

// FreshUntil is [Store.ReadUntil] with a list that is read after the call began, and further parts with it.
func (s *Store) FreshUntil(ctx context.Context, part Part, shows func(*snapshot.Snapshot) bool, beside ...Part) (*snapshot.Snapshot, error) {
	return s.readUntil(ctx, part, beside, lagWindow/10, shows)
}

// readUntil reads a list until shows is true of it, or it was read when it could be relied on; the pauses between grow.
func (s *Store) readUntil(ctx context.Context, part Part, beside []Part, pause time.Duration, shows func(*snapshot.Snapshot) bool) (*snapshot.Snapshot, error) {
	parts := append([]Part{part}, beside...)
	for reliable := s.reliable(part); ; pause *= 2 {
		began := time.Now()
		current, err := s.Fresh(ctx, parts...)
		if err != nil || shows(current) || began.After(reliable) {
			return current, err
		}
		if err := zulip.Sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// reliable returns from when on a list can be relied on.
func (s *Store) reliable(part Part) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.started
	if wrote := s.state(part).wroteAt; wrote.After(last) {
		last = wrote
	}
	return last.Add(lagWindow)
}
