package zulip

import (
	"cmp"
	"context"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"golang.org/x/time/rate"
)

// maxInFlight is how many calls of one account are under way at once. More
// would not be faster: a server has few processes for one organization.
const maxInFlight = 8

// announceEvery is how often waiting for requests_per_minute is worth a line.
const announceEvery = 30 * time.Second

// pace is when the requests of one account may leave: a few at once, no more
// than the server is going to answer, in the order in which they came. Neither
// reads nor writes go first: a read that several changes wait for leaves after
// the writes that came before it, so that those can share it (see [WhenSent]),
// and before the writes that came later.
type pace struct {
	clock   clock
	limiter *rate.Limiter // nil: no requests_per_minute

	mu       sync.Mutex
	quota    quota
	underWay int
	waiting  []*turn // first come first

	alarm     context.CancelFunc // ends the sleep until more may leave; nil: nobody sleeps
	alarmAt   time.Time
	announced time.Time // when a wait for the limiter was last logged at INFO
	waited    Waited
}

// turn is one request that waits to leave.
type turn struct {
	ctx    context.Context //nolint:containedctx // for the log, while it waits
	leaves chan struct{}   // closed when it may
}

// WhenSent returns a context for a call: tell is called when its request is
// about to leave, after all waiting. What was changed until then is in what it
// reads. tell may be called again when the request is repeated.
func WhenSent(ctx context.Context, tell func()) context.Context {
	return context.WithValue(ctx, whenSent{}, tell)
}

type whenSent struct{}

// Waited is how long the requests of an account stood still because the server
// would not have taken more.
type Waited struct {
	Time time.Duration
	// Limit is what was waited for last, like "200 requests a minute", as far as
	// it is known; else empty.
	Limit string
}

// paces are those of the accounts in use. Several clients of one account share
// one, as provider configurations do that are served by the same process.
var paces = struct {
	sync.Mutex
	known map[paceKey]weak.Pointer[pace]
}{known: map[paceKey]weak.Pointer[pace]{}}

type paceKey struct {
	site, authorization string
	perMinute           int
}

// paceOf returns the pace that all clients with this key share.
func paceOf(key paceKey) *pace {
	paces.Lock()
	defer paces.Unlock()
	if shared := paces.known[key].Value(); shared != nil {
		return shared
	}
	p := newPace(key.perMinute)
	paces.known[key] = weak.Make(p)
	runtime.AddCleanup(p, func(key paceKey) {
		paces.Lock()
		defer paces.Unlock()
		if paces.known[key].Value() == nil {
			delete(paces.known, key)
		}
	}, key)
	return p
}

// newPace keeps to perMinute requests in any minute; 0 follows the server.
func newPace(perMinute int) *pace {
	p := &pace{clock: wallClock{}, quota: newQuota()}
	if perMinute > 0 {
		// A tenth may leave at once, so that a small plan does not wait; the
		// rest is spread, and both together are no more than was allowed.
		burst := max(1, perMinute/10)
		p.limiter = rate.NewLimiter(rate.Limit(float64(perMinute-burst+1)/60), burst)
	}
	return p
}

// enter returns when a request may leave, or when ctx ends. Who repeats a
// request has waited before, and is first. After enter comes one of the ways
// out: answered, refused, lost.
func (p *pace) enter(ctx context.Context, repeats bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	mine := &turn{ctx: ctx, leaves: make(chan struct{})}
	p.mu.Lock()
	if repeats {
		p.waiting = slices.Insert(p.waiting, 0, mine)
	} else {
		p.waiting = append(p.waiting, mine)
	}
	p.dispatch()
	p.mu.Unlock()
	select {
	case <-mine.leaves:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := slices.Index(p.waiting, mine); at >= 0 {
		p.waiting = slices.Delete(p.waiting, at, at+1)
	} else {
		p.underWay-- // it got its turn in the same moment
	}
	p.dispatch()
	return ctx.Err()
}

// answered is the way out for a request that the server has counted. The
// headers may be nil.
func (p *pace) answered(headers http.Header) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.underWay--
	p.quota.counted(p.clock.now(), headers)
	p.dispatch()
}

// refused is the way out for a request that came too early: nothing leaves
// before the wait is over; 0 holds back nobody. It reports whether the refusal
// is of the account, and not of this one action, which then waits by itself.
func (p *pace) refused(headers http.Header, wait time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.underWay--
	everybody := p.quota.isOurs(headers)
	if everybody && wait > 0 {
		p.quota.refused(p.clock.now(), wait, headers)
	}
	p.dispatch()
	return everybody
}

// lost is the way out for a request that the server has not seen.
func (p *pace) lost() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.underWay--
	p.dispatch()
}

// dispatch lets leave whoever may, and sees to it that it is called when more
// may. Call it with mu locked, after every change.
func (p *pace) dispatch() {
	for {
		if len(p.waiting) == 0 {
			p.stopAlarm()
			return
		}
		next := p.waiting[0]
		now := p.clock.now()
		if held := p.quota.next(now, p.underWay); held != nil {
			if !held.until.IsZero() {
				p.setAlarm(next, now, held.until, &held.by)
			}
			return
		}
		if until := p.limited(now); until.After(now) {
			p.setAlarm(next, now, until, nil)
			return
		}
		p.waiting = slices.Delete(p.waiting, 0, 1)
		p.quota.left(now)
		p.underWay++
		close(next.leaves)
	}
}

// limited takes one of requests_per_minute, or says when there is one.
func (p *pace) limited(now time.Time) time.Time {
	if p.limiter == nil {
		return now
	}
	place := p.limiter.ReserveN(now, 1)
	delay := place.DelayFrom(now)
	if delay > 0 {
		place.CancelAt(now)
	}
	return now.Add(delay)
}

// setAlarm calls dispatch at an instant. by is the server's rule that is waited
// for, nil if the limit is the user's own.
func (p *pace) setAlarm(next *turn, now, at time.Time, by *rule) {
	if p.alarm != nil {
		if p.alarmAt.Equal(at) {
			return
		}
		p.alarm()
	}
	// Who is first now may give up; the others still want to be woken.
	ctx, cancel := context.WithCancel(context.WithoutCancel(next.ctx))
	p.alarm, p.alarmAt = cancel, at
	say := p.announcement(now, at.Sub(now), by)
	go func() {
		defer cancel()
		say(ctx)
		_ = p.clock.sleep(ctx, at.Sub(now)) // ctx tells as well, and still when mu is locked
		p.mu.Lock()
		defer p.mu.Unlock()
		if by != nil {
			p.waited.Time += p.clock.now().Sub(now)
			p.waited.Limit = by.String()
		}
		if ctx.Err() == nil {
			p.alarm = nil
			p.dispatch()
		}
	}()
}

func (p *pace) stopAlarm() {
	if p.alarm != nil {
		p.alarm()
		p.alarm = nil
	}
}

// announcement is what the log says about a wait.
func (p *pace) announcement(now time.Time, wait time.Duration, by *rule) func(context.Context) {
	fields := map[string]any{"wait": cmp.Or(wait.Round(time.Second), wait).String()}
	switch {
	case wait <= quietWait:
	case by != nil:
		if by.limit > 0 {
			fields["limit"] = by.String()
		}
		return func(ctx context.Context) { tflog.Info(ctx, "Requests wait for the server's rate limit", fields) }
	case now.Sub(p.announced) >= announceEvery:
		p.announced = now
		return func(ctx context.Context) { tflog.Info(ctx, "Requests wait to keep to requests_per_minute", fields) }
	}
	return func(context.Context) {}
}

func (p *pace) isScarce() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.quota.scarce(p.clock.now())
}

func (p *pace) hasWaited() Waited {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waited
}

// clock is time, which tests let pass without waiting.
type clock interface {
	now() time.Time
	// sleep returns after d, or with the error of ctx as soon as it ends.
	sleep(ctx context.Context, d time.Duration) error
}

// Sleep returns after d, or with the error of ctx as soon as it ends.
func Sleep(ctx context.Context, d time.Duration) error { return wallClock{}.sleep(ctx, d) }

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
