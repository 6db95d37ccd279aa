package directory

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestAloneHeedsItsContext: who waits for a lock gives up when the context ends, and the lock is free when it is given back.
func TestAloneHeedsItsContext(t *testing.T) {
	d := &Directory{}
	done, err := d.Alone(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := d.Alone(ctx, "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	other, err := d.Alone(t.Context(), "y")
	if err != nil {
		t.Fatal(err)
	}
	other()
	done()
	if done, err = d.Alone(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	done()
	if _, err := d.Alone(ctx, "x"); err == nil {
		t.Error("the lock is taken after the context has ended")
	}
}
