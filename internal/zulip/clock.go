package zulip

import (
	"context"
	"time"
)

// Clock tells the time and waits. All waits between requests use the clock of their context, so tests can shorten them
// with [WithClock]. Limits on one request and on an interrupted run are in real time.
type Clock interface {
	Now() time.Time
	// Sleep returns after d, or with the cause as soon as ctx ends.
	Sleep(ctx context.Context, d time.Duration) error
}

type clockKey struct{}

// WithClock returns a context with a clock for waits.
func WithClock(ctx context.Context, clock Clock) context.Context {
	return context.WithValue(ctx, clockKey{}, clock)
}

func clockOf(ctx context.Context) Clock {
	if clock, ok := ctx.Value(clockKey{}).(Clock); ok {
		return clock
	}
	return RealClock{}
}

// Now returns the time of the clock of ctx.
func Now(ctx context.Context) time.Time { return clockOf(ctx).Now() }

// Sleep returns after d by the clock of ctx, or with the cause as soon as ctx ends.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	return clockOf(ctx).Sleep(ctx, d)
}

// RealClock is the clock of contexts without another.
type RealClock struct{}

// Now returns the current time.
func (RealClock) Now() time.Time { return time.Now() }

// Sleep waits.
func (RealClock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
