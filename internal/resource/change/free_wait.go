package change

import (
	"context"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const (
	// freeTime is how long a request is repeated after the server has refused it because a name is taken or an object
	// is in use.
	freeTime = 8 * time.Second
	// firstFreePause is the pause after the first refusal. Each further pause is twice as long, up to longestFreePause.
	firstFreePause   = 100 * time.Millisecond
	longestFreePause = time.Second
)

// FreeWait paces the repetitions of a request that the server refuses because a name is taken or an object is in use.
// Another resource of the same apply may free the name or object, because Terraform changes resources without
// references concurrently and in any order.
type FreeWait struct {
	end   time.Time
	pause time.Duration
}

// NewFreeWait returns the wait of one request. Its time begins with the first refusal.
func NewFreeWait() *FreeWait { return &FreeWait{pause: firstFreePause} }

// Next waits until the request can be repeated. It returns false if the time is over, or the run was interrupted.
func (w *FreeWait) Next(ctx context.Context) bool {
	if w.end.IsZero() {
		w.end = zulip.Now(ctx).Add(freeTime)
	}
	if zulip.IsInterrupted(ctx) || zulip.Now(ctx).Add(w.pause).After(w.end) || zulip.Sleep(ctx, w.pause) != nil {
		return false
	}
	w.pause = min(2*w.pause, longestFreePause)
	return true
}
