package runstate

import (
	"context"
	"sync"
	"time"
)

// quiet is how long nothing may be under way until the CLI is taken to have nothing more that it could begin: between the plan
// and the change of one resource, and before the next one, it takes some milliseconds.
const quiet = 500 * time.Millisecond

// operations are the requests of the CLI that are under way.
type operations struct {
	mu                sync.Mutex
	underWay, waiting int // those that wait for others among them
	ended             int
	last              time.Time // when one last began, ended or went on
}

func (o *operations) add(underWay, waiting, ended int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.underWay, o.waiting, o.ended, o.last = o.underWay+underWay, o.waiting+waiting, o.ended+ended, time.Now()
}

// Begin registers that the CLI asks for something, until end is called.
func (o *operations) Begin() (end func()) {
	o.add(1, 0, 0)
	return func() { o.add(-1, 0, 1) }
}

// wait registers that one under way waits for others, until done is called.
func (o *operations) wait() (done func()) {
	o.add(0, 1, 0)
	return func() { o.add(0, -1, 0) }
}

// Ended returns how many have ended.
func (o *operations) Ended() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ended
}

// AwaitOthers waits until all others that are under way have ended, or wait themselves, and the CLI begins nothing more. It
// reports whether any has ended since so many had: then what stood in the way may be gone. It reports false when the context ends.
func (o *operations) AwaitOthers(ctx context.Context, ended int) bool {
	defer o.wait()()
	ticks := time.NewTicker(quiet / 10)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-ticks.C:
		}
		o.mu.Lock()
		isQuiet, anyEnded := o.underWay <= o.waiting && time.Since(o.last) >= quiet, o.ended > ended
		o.mu.Unlock()
		if isQuiet {
			return anyEnded
		}
	}
}
