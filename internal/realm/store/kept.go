package store

import (
	"context"
	"sync"
)

// kept is something that is read once for all, until it is forgotten.
type kept[T any] struct {
	read func(context.Context) (T, error)

	mu      sync.Mutex
	current *sharedRead[T]
}

// sharedRead is one request, and everybody who waits for it.
type sharedRead[T any] struct {
	value T
	err   error
	done  chan struct{}
}

// get returns what was read, or reads it. Who asks meanwhile waits for the same request.
func (k *kept[T]) get(ctx context.Context) (T, error) {
	k.mu.Lock()
	current := k.current
	if current == nil {
		current = &sharedRead[T]{done: make(chan struct{})}
		k.current = current
		go k.run(context.WithoutCancel(ctx), current)
	}
	k.mu.Unlock()
	var none T
	select {
	case <-ctx.Done():
		return none, context.Cause(ctx)
	case <-current.done:
		return current.value, current.err
	}
}

func (k *kept[T]) run(ctx context.Context, current *sharedRead[T]) {
	current.value, current.err = k.read(ctx)
	if current.err != nil {
		k.mu.Lock()
		if k.current == current {
			k.current = nil // the next to ask tries again
		}
		k.mu.Unlock()
	}
	close(current.done)
}

// forget makes the next to ask read again.
func (k *kept[T]) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.current = nil
}
