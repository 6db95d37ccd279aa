package directory

import (
	"context"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
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
	wrote, read map[string]time.Time
}

// besides are the parts that a view needs beside one of the lists.
var besides = map[string][]string{
	zulip.FetchCustomEmoji:   organizationParts,
	zulip.FetchDefaultGroups: channelParts,
}

// WriteList sends a write of one of the lists, named by its part of the snapshot, when no other write of that list is
// under way. An error of which nothing was sent is that of a context that ended first.
func (d *Directory) WriteList(ctx context.Context, part string, send func(context.Context) error) error {
	defer d.Write()() // from here on, so that reads wait for those too who wait for their turn
	done, err := d.locks.Lock(ctx, part)
	if err != nil {
		return err
	}
	defer done()
	defer func() {
		d.Forget(part)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.lists.wrote[part] = time.Now()
	}()
	return send(ctx)
}

// ListShowing returns a snapshot with one of the lists, named by its part of the snapshot, as soon as shows is true of
// it. If it never is, the snapshot is one that can be relied on.
func (d *Directory) ListShowing(ctx context.Context, part string, shows func(*View) bool) (*View, error) {
	view, err := d.need(ctx, append([]string{part}, besides[part]...))
	if err != nil || shows(view) {
		return view, err
	}
	d.mu.Lock()
	read, reliable := d.lists.read[part], d.reliable(part)
	d.mu.Unlock()
	if read.After(reliable) {
		return view, nil
	}
	if err := pause(ctx, firstLagPause); err != nil {
		return nil, err
	}
	return d.rereadUntil(ctx, part, reliable, 2*firstLagPause, shows)
}

// FreshListShowing is [Directory.ListShowing] with a snapshot that was read after the call began.
func (d *Directory) FreshListShowing(ctx context.Context, part string, shows func(*View) bool) (*View, error) {
	if _, err := d.need(ctx, besides[part]); err != nil {
		return nil, err
	}
	d.mu.Lock()
	reliable := d.reliable(part)
	d.mu.Unlock()
	return d.rereadUntil(ctx, part, reliable, firstLagPause, shows)
}

// rereadUntil reads a list until shows is true of it, or it was read when it can be relied on.
func (d *Directory) rereadUntil(ctx context.Context, part string, reliable time.Time, wait time.Duration, shows func(*View) bool) (*View, error) {
	for {
		began := time.Now()
		view, err := d.freshList(ctx, part)
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
func (d *Directory) reliable(part string) time.Time {
	last := d.lists.started
	if wrote := d.lists.wrote[part]; wrote.After(last) {
		last = wrote
	}
	return last.Add(lagWindow)
}

// freshList returns a snapshot of which a list was read after the call began.
func (d *Directory) freshList(ctx context.Context, part string) (*View, error) {
	switch part {
	case zulip.FetchLinkifiers:
		return d.FreshLinkifiers(ctx)
	case zulip.FetchProfileFields:
		return d.FreshProfileFields(ctx)
	}
	return d.fresh(ctx, part, func(ctx context.Context) (put, error) {
		snapshot, err := d.register(ctx, []string{part})
		if err != nil {
			return nil, whileReading("organization", err)
		}
		return func(facts *facts) { facts.merge(snapshot) }, nil
	})
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
