package zulip

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"golang.org/x/time/rate"
)

// pace is when the requests of one client may leave. Without a number to keep
// to it follows the server: there is no use in counting along, since the
// headers say nothing about the limit that is met first (wire-2 §1.5).
type pace struct {
	limiter *rate.Limiter // nil: follow the server

	mu        sync.Mutex
	notBefore time.Time // nothing leaves earlier; set by a refusal
	announced time.Time // when a wait for the limiter was last logged at INFO
}

// announceEvery is how often waiting for requests_per_minute is worth a line.
const announceEvery = 30 * time.Second

// newPace keeps to perMinute requests in any minute; 0 follows the server.
func newPace(perMinute int) *pace {
	if perMinute <= 0 {
		return &pace{}
	}
	// A tenth may leave at once, so that a small plan does not wait; the rest
	// is spread, and both together are no more than was allowed.
	burst := max(1, perMinute/10)
	return &pace{limiter: rate.NewLimiter(rate.Limit(float64(perMinute-burst+1)/60), burst)}
}

// wait returns when a request may leave, or when ctx ends.
func (p *pace) wait(ctx context.Context, clock clock) error {
	if p.limiter != nil {
		now := clock.now()
		place := p.limiter.ReserveN(now, 1)
		delay := place.DelayFrom(now)
		p.announce(ctx, now, delay)
		if err := clock.sleep(ctx, delay); err != nil {
			place.CancelAt(clock.now())
			return err
		}
	}
	for {
		left := p.held(clock.now())
		if left <= 0 {
			return ctx.Err()
		}
		if err := clock.sleep(ctx, left); err != nil {
			return err
		}
	}
}

// hold lets nothing leave before the instant. It reports whether that is a
// new wait, and not the one that others were told about already.
func (p *pace) hold(until time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !until.After(p.notBefore) {
		return false
	}
	longer := until.Sub(p.notBefore) > quietWait
	p.notBefore = until
	return longer
}

func (p *pace) held(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.notBefore.Sub(now)
}

func (p *pace) announce(ctx context.Context, now time.Time, delay time.Duration) {
	if delay <= quietWait {
		return
	}
	p.mu.Lock()
	due := now.Sub(p.announced) >= announceEvery
	if due {
		p.announced = now
	}
	p.mu.Unlock()
	if due {
		tflog.Info(ctx, "Requests wait to keep to requests_per_minute", map[string]any{"wait": delay.String()})
	}
}

// clock is time, which tests let pass without waiting.
type clock interface {
	now() time.Time
	// sleep returns after d, or with the error of ctx as soon as it ends.
	sleep(ctx context.Context, d time.Duration) error
}

type wallClock struct{}

func (wallClock) now() time.Time { return time.Now() }

func (wallClock) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
