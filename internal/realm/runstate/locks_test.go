package runstate

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestLockHeedsItsContext: who waits for a lock gives up when the context ends, and the lock is free when it is given back.
func TestLockHeedsItsContext(t *testing.T) {
	var locks Locks
	done, err := locks.Lock(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := locks.Lock(ctx, "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	other, err := locks.Lock(t.Context(), "y")
	if err != nil {
		t.Fatal(err)
	}
	other()
	done()
	if done, err = locks.Lock(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	done()
	if _, err := locks.Lock(ctx, "x"); err == nil {
		t.Error("the lock is taken after the context has ended")
	}
}
