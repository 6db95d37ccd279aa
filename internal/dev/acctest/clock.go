package acctest

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// A clock is the time of a sandbox and of the provider processes that use it. It runs like a real clock, but a wait takes
// only a small part of its time and then advances the clock to its end. Concurrent resources act in that part.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

const (
	// hurry is how many times faster a wait is, and longestWait its longest real time.
	hurry       = 20
	longestWait = 50 * time.Millisecond
)

// clocks are the clocks of the running sandboxes, by URL.
var clocks sync.Map

// withClock returns a context with the clock of the sandbox that a provider block or the environment names, if it is one.
func withClock(ctx context.Context, block Values) context.Context {
	site, ok := block["site"].(string)
	if !ok {
		site = os.Getenv("ZULIP_SITE")
	}
	if found, ok := clocks.Load(site); ok {
		return zulip.WithClock(ctx, found.(*clock)) //nolint:errcheck // clocks has no other type
	}
	return ctx
}

// Now returns the time of the clock.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

// Sleep waits for a part of d, and advances the clock by the rest.
func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	end := c.Now().Add(d)
	if err := (zulip.RealClock{}).Sleep(ctx, min(d/hurry, longestWait)); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead = max(c.ahead, time.Until(end))
	return nil
}
