package store

import (
	"context"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
)

// A server keeps linkifiers, custom emoji and the like in caches, each kind as one list. Where writes of a kind overlap,
// or a read overlaps with a write, the list can lack what was just added and still hold what was just deleted. So a run
// sends one write of a kind at a time, and does not conclude from a single read that something is gone or there.
const (
	// lagWindow is how long after a write a list is not relied on. The last write that counts may be another process's,
	// such as an apply that was just followed by a plan: for a process its own start is a write.
	lagWindow = time.Second
	// firstLagPause is how long it takes until a list is read again; each time it is twice as long.
	firstLagPause = 100 * time.Millisecond
)

// lists is what is known about how old the lists are, by part.
type lists struct {
	started     time.Time // of this process
	wrote, read map[Part]time.Time
}

// WriteList sends a write of one of the lists, named by its part of the snapshot, when no other write of that list is
// under way. An error of which nothing was sent is that of a context that ended first.
func (s *Store) WriteList(ctx context.Context, part Part, send func(context.Context) error) error {
	defer s.beginWrite()() // from here on, so that reads wait for those too who wait for their turn
	done, err := s.run.Lock(ctx, string(part))
	if err != nil {
		return err
	}
	defer done()
	defer func() {
		s.Invalidate(part)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lists.wrote[part] = time.Now()
	}()
	return send(ctx)
}

// ReadUntil returns a snapshot with one of the lists, named by its part of the snapshot, as soon as shows is true of
// it. If it never is, the snapshot is one that can be relied on.
func (s *Store) ReadUntil(ctx context.Context, part Part, shows func(*snapshot.Snapshot) bool) (*snapshot.Snapshot, error) {
	view, err := s.need(ctx, withNeeds([]Part{part}))
	if err != nil || shows(view) {
		return view, err
	}
	s.mu.Lock()
	read, reliable := s.lists.read[part], s.reliable(part)
	s.mu.Unlock()
	if read.After(reliable) {
		return view, nil
	}
	if err := pause(ctx, firstLagPause); err != nil {
		return nil, err
	}
	return s.rereadUntil(ctx, part, reliable, 2*firstLagPause, shows)
}

// FreshUntil is [Store.ReadUntil] with a snapshot that was read after the call began.
func (s *Store) FreshUntil(ctx context.Context, part Part, shows func(*snapshot.Snapshot) bool) (*snapshot.Snapshot, error) {
	if _, err := s.need(ctx, needs[part]); err != nil {
		return nil, err
	}
	s.mu.Lock()
	reliable := s.reliable(part)
	s.mu.Unlock()
	return s.rereadUntil(ctx, part, reliable, firstLagPause, shows)
}

// rereadUntil reads a list until shows is true of it, or it was read when it can be relied on.
func (s *Store) rereadUntil(ctx context.Context, part Part, reliable time.Time, wait time.Duration, shows func(*snapshot.Snapshot) bool) (*snapshot.Snapshot, error) {
	for {
		began := time.Now()
		view, err := s.fresh(ctx, part, s.readerOf(part))
		if err != nil || shows(view) || began.After(reliable) {
			return view, err
		}
		if err := pause(ctx, wait); err != nil {
			return nil, err
		}
		wait *= 2
	}
}

// reliable is from when on a list can be relied on. The caller holds the lock.
func (s *Store) reliable(part Part) time.Time {
	last := s.lists.started
	if wrote := s.lists.wrote[part]; wrote.After(last) {
		last = wrote
	}
	return last.Add(lagWindow)
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
