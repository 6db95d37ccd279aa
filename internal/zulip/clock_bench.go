//go:build bench

package zulip

// What internal/bench needs to know of the clients in a plugin's process. It is in builds with the tag "bench" alone.

import (
	"context"
	"sync"
	"time"
)

// newClock returns a clock that counts for WaitedInAll.
func newClock() clock { return countedClock{} }

// WaitedInAll returns how long at least one call of any client has been waiting so far: for a rate limit or before a retry.
func WaitedInAll() time.Duration {
	waits.mu.Lock()
	defer waits.mu.Unlock()
	return waits.total
}

type countedClock struct{ wallClock }

func (c countedClock) sleep(ctx context.Context, d time.Duration) error {
	if d > 0 {
		waits.begin()
		defer waits.end()
	}
	return c.wallClock.sleep(ctx, d)
}

// waits are those of every client.
var waits waitCount

// waitCount adds up the time in which anybody waits; those who wait at the same time count once.
type waitCount struct {
	mu      sync.Mutex
	waiting int
	since   time.Time
	total   time.Duration
}

func (w *waitCount) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting++; w.waiting == 1 {
		w.since = time.Now()
	}
}

func (w *waitCount) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting--; w.waiting == 0 {
		w.total += time.Since(w.since)
	}
}
