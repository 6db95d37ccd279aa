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

// maxInFlight is how many requests of one account may be in flight. More
// would not be faster: a server has few processes for one organization.
const maxInFlight = 8

// logWaitEvery is how often waiting for requests_per_minute is logged.
const logWaitEvery = 30 * time.Second

// requestLimiter decides when the next request of one account may be sent. It keeps to
// three limits: maxInFlight, requests_per_minute (configured), and what the server accepts
// (server). Requests are sent in the order in which they ask: a read that several writes
// share is sent after them (see [WhenSent]), and before the writes that come later.
//
// A request calls acquire, and afterwards exactly one of releaseCounted, releaseRefused
// and releaseUnsent.
type requestLimiter struct {
	clock      clock
	configured *rate.Limiter // nil: no requests_per_minute

	mu       sync.Mutex
	server   serverLimit
	inFlight int
	waiting  []*waiter // in the order in which they asked

	cancelWake context.CancelFunc // cancels the timer that calls dispatch at wakeAt; nil: there is none
	wakeAt     time.Time
	loggedAt   time.Time // when a wait for requests_per_minute was last logged
	waited     Waited
}

// waiter is a request that waits to be sent.
type waiter struct {
	ctx   context.Context //nolint:containedctx // for the log, while it waits
	ready chan struct{}   // closed when it may be sent
}

// WhenSent returns a context for a call that calls onSend just before its request is
// sent, after all waiting: the answer includes every change made before that. onSend is
// called again if the request is repeated.
func WhenSent(ctx context.Context, onSend func()) context.Context {
	return context.WithValue(ctx, whenSent{}, onSend)
}

type whenSent struct{}

// Waited is how long the requests of an account were held back because of the server's
// rate limit.
type Waited struct {
	Time time.Duration
	// Limit is the limit that was waited for last, like "200 requests a minute"; empty
	// if it is not known.
	Limit string
}

// sharedLimiters are the limiters of the accounts in use. All clients of one account share
// one: several provider configurations can be served by the same process.
var sharedLimiters = struct {
	sync.Mutex
	known map[limiterKey]weak.Pointer[requestLimiter]
}{known: map[limiterKey]weak.Pointer[requestLimiter]{}}

type limiterKey struct {
	site, authorization string
	perMinute           int
}

// sharedLimiter returns the limiter that all clients with this key share.
func sharedLimiter(key limiterKey) *requestLimiter {
	sharedLimiters.Lock()
	defer sharedLimiters.Unlock()
	if shared := sharedLimiters.known[key].Value(); shared != nil {
		return shared
	}
	l := newRequestLimiter(key.perMinute)
	sharedLimiters.known[key] = weak.Make(l)
	runtime.AddCleanup(l, func(key limiterKey) {
		sharedLimiters.Lock()
		defer sharedLimiters.Unlock()
		if sharedLimiters.known[key].Value() == nil {
			delete(sharedLimiters.known, key)
		}
	}, key)
	return l
}

// newRequestLimiter returns a limiter for at most perMinute requests in any minute; 0 has
// the server's limit only.
func newRequestLimiter(perMinute int) *requestLimiter {
	l := &requestLimiter{clock: wallClock{}, server: newServerLimit()}
	if perMinute > 0 {
		// A tenth may be sent at once, so that a small plan does not wait. The rest
		// is spread; together they are no more than perMinute.
		burst := max(1, perMinute/10)
		l.configured = rate.NewLimiter(rate.Limit(float64(perMinute-burst+1)/60), burst)
	}
	return l
}

// acquire returns when a request may be sent, or when ctx ends. A repeated request goes
// to the front of the queue, because it has waited before.
func (l *requestLimiter) acquire(ctx context.Context, isRetry bool) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	own := &waiter{ctx: ctx, ready: make(chan struct{})}
	l.mu.Lock()
	if isRetry {
		l.waiting = slices.Insert(l.waiting, 0, own)
	} else {
		l.waiting = append(l.waiting, own)
	}
	l.dispatch()
	l.mu.Unlock()
	select {
	case <-own.ready:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := slices.Index(l.waiting, own); at >= 0 {
		l.waiting = slices.Delete(l.waiting, at, at+1)
	} else {
		l.inFlight-- // dispatch had let it go in the same moment
	}
	l.dispatch()
	return context.Cause(ctx)
}

// releaseCounted ends a request that counts against the server's limit. The headers may
// be nil.
func (l *requestLimiter) releaseCounted(headers http.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
	l.server.recordAccepted(l.clock.now(), headers)
	l.dispatch()
}

// releaseRefused ends a request that the server refused with a 429: no request is sent
// before wait is over; 0 delays none. It reports whether the limit is one of the whole
// account. If it is one of this kind of request only, the caller waits by itself.
func (l *requestLimiter) releaseRefused(headers http.Header, wait time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
	wholeAccount := l.server.coversAccount(headers)
	if wholeAccount && wait > 0 {
		l.server.recordRefused(l.clock.now(), wait, headers)
	}
	l.dispatch()
	return wholeAccount
}

// releaseUnsent ends a request that did not reach the server.
func (l *requestLimiter) releaseUnsent() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
	l.dispatch()
}

// dispatch lets the requests go that may be sent now, and arranges to be called again when
// the next one may. Call it with mu locked, after every change.
func (l *requestLimiter) dispatch() {
	for {
		if len(l.waiting) == 0 {
			l.cancelWakeUp()
			return
		}
		next := l.waiting[0]
		now := l.clock.now()
		if held := l.server.nextDelay(now, l.inFlight); held != nil {
			if !held.until.IsZero() {
				l.wakeAfter(next, now, held.until, &held.by)
			}
			return
		}
		if until := l.reserveConfigured(now); until.After(now) {
			l.wakeAfter(next, now, until, nil)
			return
		}
		l.waiting = slices.Delete(l.waiting, 0, 1)
		l.server.recordSent(now)
		l.inFlight++
		close(next.ready)
	}
}

// reserveConfigured uses up one of requests_per_minute. If none is left it returns when
// there will be one.
func (l *requestLimiter) reserveConfigured(now time.Time) time.Time {
	if l.configured == nil {
		return now
	}
	reservation := l.configured.ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
	}
	return now.Add(wait)
}

// wakeAfter calls dispatch at a point in time. by is the server's rule that is waited
// for; nil for requests_per_minute.
func (l *requestLimiter) wakeAfter(next *waiter, now, at time.Time, by *rule) {
	if l.cancelWake != nil {
		if l.wakeAt.Equal(at) {
			return
		}
		l.cancelWake()
	}
	// The first waiter may give up; the others still have to be woken.
	ctx, cancel := context.WithCancel(context.WithoutCancel(next.ctx))
	l.cancelWake, l.wakeAt = cancel, at
	say := l.waitLogger(now, at.Sub(now), by)
	go func() {
		defer cancel()
		say(ctx)
		_ = l.clock.sleep(ctx, at.Sub(now)) // ctx is checked below, with mu locked
		l.mu.Lock()
		defer l.mu.Unlock()
		if by != nil {
			l.waited.Time += l.clock.now().Sub(now)
			l.waited.Limit = by.String()
		}
		if ctx.Err() == nil {
			l.cancelWake = nil
			l.dispatch()
		}
	}()
}

func (l *requestLimiter) cancelWakeUp() {
	if l.cancelWake != nil {
		l.cancelWake()
		l.cancelWake = nil
	}
}

// waitLogger returns a function that logs a wait, if it is worth a line. Call the function
// without the lock.
func (l *requestLimiter) waitLogger(now time.Time, wait time.Duration, by *rule) func(context.Context) {
	fields := map[string]any{"wait": cmp.Or(wait.Round(time.Second), wait).String()}
	switch {
	case wait <= maxUnloggedWait:
	case by != nil:
		if by.limit > 0 {
			fields["limit"] = by.String()
		}
		return func(ctx context.Context) { tflog.Info(ctx, "Requests wait for the server's rate limit", fields) }
	case now.Sub(l.loggedAt) >= logWaitEvery:
		l.loggedAt = now
		return func(ctx context.Context) { tflog.Info(ctx, "Requests wait to keep to requests_per_minute", fields) }
	}
	return func(context.Context) {}
}

func (l *requestLimiter) isNearLimit() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.server.isNear(l.clock.now())
}

func (l *requestLimiter) waitedSoFar() Waited {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waited
}

// clock is the time; tests replace it.
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
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
