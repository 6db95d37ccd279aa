package runstate

import (
	"context"
	"fmt"
	"sync"
)

// Locks let one at a time work on one thing. The zero value has none taken.
type Locks struct {
	mu    sync.Mutex
	taken map[string]chan struct{} // of capacity one: full while somebody holds the lock
}

// Lock waits until nobody else holds the lock of a key, and returns what gives it back. It is an error if the context ends
// first.
func (l *Locks) Lock(ctx context.Context, key string) (unlock func(), err error) {
	l.mu.Lock()
	if l.taken == nil {
		l.taken = map[string]chan struct{}{}
	}
	one := l.taken[key]
	if one == nil {
		one = make(chan struct{}, 1)
		l.taken[key] = one
	}
	l.mu.Unlock()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("nothing was sent: %w", context.Cause(ctx))
	}
	select {
	case one <- struct{}{}:
		return func() { <-one }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("nothing was sent, for another resource was still at work on the same: %w", context.Cause(ctx))
	}
}
