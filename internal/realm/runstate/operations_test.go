package runstate

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// pass lets the time of a test pass.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // nobody waits for it
}

// Who waits does so while others are at work, and not for those who wait themselves, be it for a lock.
func TestAwaitOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var run State
		defer run.Begin()()
		if run.AwaitOthers(t.Context(), run.Ended()) {
			t.Error("nobody was there, and somebody ended")
		}
		unlock, err := run.Lock(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		go func() { // waits for what this one has
			defer run.Begin()()
			if unlock, err := run.Lock(t.Context(), "x"); err == nil {
				unlock()
			}
		}()
		go func() {
			end := run.Begin()
			pass(time.Minute)
			end()
		}()
		synctest.Wait()
		began, ended := time.Now(), run.Ended()
		if !run.AwaitOthers(t.Context(), ended) {
			t.Error("nobody ended")
		}
		if took := time.Since(began); took < time.Minute || took > time.Minute+time.Second {
			t.Errorf("waited %v", took)
		}
		if run.AwaitOthers(t.Context(), run.Ended()) {
			t.Error("who waits for a lock ended")
		}
		unlock()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if run.AwaitOthers(ctx, ended) {
			t.Error("the context has ended")
		}
	})
}

// Of a chain, each waits for the next: none gives up while another one can still go on.
func TestAwaitOthersInAChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var run State
		var left atomic.Int64 // links that are not done
		const links = 5
		left.Store(links)
		for link := range int64(links) {
			go func() {
				defer run.Begin()()
				for {
					ended := run.Ended()
					pass(time.Duration(link+1) * 7 * time.Millisecond) // a request
					if left.CompareAndSwap(link+1, link) {
						return
					}
					if !run.AwaitOthers(t.Context(), ended) {
						t.Errorf("link %d gave up while %d were left", link, left.Load())
						return
					}
				}
			}()
		}
		pass(time.Minute)
		if left.Load() != 0 {
			t.Errorf("%d are left", left.Load())
		}
	})
}
