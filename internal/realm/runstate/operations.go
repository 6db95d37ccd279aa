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
	last              time.Time   // when one last began, ended or went on
	waiters           map[int]int // how many wait since so many had ended
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
// reports whether any has ended since so many had: then what stood in the way may be gone. Those of several for whom that is so go
// on first. It reports false when the context ends.
func (o *operations) AwaitOthers(ctx context.Context, ended int) bool {
	defer o.wait()()
	defer o.since(ended)()
	ticks := time.NewTicker(quiet / 10)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-ticks.C:
		}
		if isQuiet, mayGoOn, mayOther := o.look(ended); isQuiet && (mayGoOn || !mayOther) {
			return mayGoOn
		}
	}
}

// since registers since when one waits for others to end, until done is called.
func (o *operations) since(ended int) (done func()) {
	add := func(n int) {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.waiters == nil {
			o.waiters = map[int]int{}
		}
		o.waiters[ended] += n
	}
	add(1)
	return func() { add(-1) }
}

// look reports whether nothing is under way but those that wait, and whether one that waits since so many have ended may go on, or
// any other one.
func (o *operations) look(ended int) (isQuiet, mayGoOn, mayOther bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for since, n := range o.waiters {
		mayOther = mayOther || n > 0 && o.ended > since
	}
	return o.underWay <= o.waiting && time.Since(o.last) >= quiet, o.ended > ended, mayOther
}
