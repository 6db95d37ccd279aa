package zulip

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

const (
	// maxInFlight is how many requests of one account may be in flight. More
	// would not be faster: a server has few processes for one organization.
	maxInFlight = 8
	// slowStart is how many requests are accepted after a refusal before twice as many
	// may be in flight.
	slowStart = 8
	// maxUnloggedWait is the longest wait that is not worth a line at INFO.
	maxUnloggedWait = 2 * time.Second
	// logWaitEvery is how often waiting for requests_per_minute is logged.
	logWaitEvery = 30 * time.Second
	// refusalJitter keeps processes that wait for the same point in time from
	// sending together.
	refusalJitter = 250 * time.Millisecond
)

// requestLimiter decides when the next request of one account is sent. At most maxInFlight are in flight, and at most
// requests_per_minute are sent. After a 429 about the whole account, no request is sent before the time that the server
// names. Then one is sent alone, and the number in flight doubles whenever slowStart were accepted. Refused requests go
// first (server-behavior §R17).
//
// Without this, a rule of a few requests per second would refuse most requests, and a write that is sent once might never
// succeed.
//
// A request calls acquire, and release when it has ended. In between it calls accepted or refused, if the server said so.
type requestLimiter struct {
	// line lets requests go in the order in which they ask. A read that several writes share is sent after them (see
	// [WhenSent]), and before later writes.
	line       *semaphore.Weighted
	inFlight   *semaphore.Weighted
	configured *rate.Limiter  // requests_per_minute
	logged     rate.Sometimes // for waits for requests_per_minute

	mu        sync.Mutex
	limit     int           // X-RateLimit-Limit of the account (server-behavior §R18); 0: unknown
	notBefore time.Time     // after a refusal, the earliest time of the next request
	clock     Clock         // of notBefore
	accepts   int           // how many requests were accepted after notBefore
	held      time.Duration // how long requests are held back by refusals, until notBefore
}

// WhenSent returns a context for a call that calls onSend just before its request is sent, after all waiting. The answer
// includes every earlier change. onSend is called again if the request is repeated.
func WhenSent(ctx context.Context, onSend func()) context.Context {
	return context.WithValue(ctx, whenSent{}, onSend)
}

type whenSent struct{}

// sharedLimiters are the limiters of the accounts, by limiterKey. Clients of one account share a limiter, because the same
// process can serve several provider configurations.
var sharedLimiters sync.Map

type limiterKey struct {
	site, authorization string
	perMinute           int
}

// sharedLimiter returns the limiter that all clients with this key share.
func sharedLimiter(key limiterKey) *requestLimiter {
	shared, _ := sharedLimiters.LoadOrStore(key, newRequestLimiter(key.perMinute))
	return shared.(*requestLimiter) //nolint:errcheck // sharedLimiters has no other type
}

// newRequestLimiter returns a limiter for at most perMinute requests in any minute; 0 has
// the server's limit only.
func newRequestLimiter(perMinute int) *requestLimiter {
	l := &requestLimiter{
		line: semaphore.NewWeighted(1), inFlight: semaphore.NewWeighted(maxInFlight),
		configured: rate.NewLimiter(rate.Inf, 0), logged: rate.Sometimes{Interval: logWaitEvery},
		clock: RealClock{},
	}
	if perMinute > 0 {
		// A tenth can be sent immediately, so that a small plan does not wait. The rest is spread. Together they are no
		// more than perMinute.
		burst := max(1, perMinute/10)
		l.configured = rate.NewLimiter(rate.Limit(float64(perMinute-burst+1)/60), burst)
	}
	return l
}

// acquire returns when a request may be sent, or when ctx ends. An urgent request, for example one that has waited before,
// skips the line. No other request is in flight with one that is alone. The caller passes places to release.
func (l *requestLimiter) acquire(ctx context.Context, isUrgent, isAlone bool) (places int64, err error) {
	if !isUrgent {
		if l.line.Acquire(ctx, 1) != nil {
			return 0, context.Cause(ctx)
		}
		defer l.line.Release(1)
	}
	if places = l.places(); isAlone {
		places = maxInFlight
	}
	if l.inFlight.Acquire(ctx, places) != nil {
		return 0, context.Cause(ctx)
	}
	if err := l.wait(ctx); err != nil {
		l.inFlight.Release(places)
		return 0, err
	}
	return places, nil
}

// wait waits for requests_per_minute, and until the time that the server named.
func (l *requestLimiter) wait(ctx context.Context) error {
	now := Now(ctx)
	reservation := l.configured.ReserveN(now, 1)
	if wait := reservation.DelayFrom(now); wait > 0 {
		if wait > maxUnloggedWait {
			l.logged.Do(func() { logWait(ctx, "Requests wait to keep to requests_per_minute", wait) })
		}
		if err := Sleep(ctx, wait); err != nil {
			reservation.CancelAt(Now(ctx))
			return err
		}
	}
	for { // a request in flight may be refused during the wait
		wait := l.earliest().Sub(Now(ctx))
		if wait <= 0 {
			return context.Cause(ctx)
		}
		if wait > maxUnloggedWait {
			logWait(ctx, "Requests wait for the server's rate limit", wait)
		}
		if err := Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

func logWait(ctx context.Context, message string, wait time.Duration) {
	tflog.Info(ctx, message, map[string]any{"wait": cmp.Or(wait.Round(time.Second), wait).String()})
}

func (l *requestLimiter) release(places int64) { l.inFlight.Release(places) }

// accepted notes that the server counted a request.
func (l *requestLimiter) accepted(ctx context.Context, headers http.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limit = max(l.limit, headerLimit(headers))
	if Now(ctx).After(l.notBefore) {
		l.accepts++
	}
}

// refused notes that the server refused a request with a 429. No request is sent before wait is over. It reports whether
// the limit is one of the whole account. If not, the limit is a lower one for this kind of request, and only the caller
// waits.
func (l *requestLimiter) refused(ctx context.Context, headers http.Header, wait time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if limit := headerLimit(headers); limit > 0 && limit < l.limit {
		return false
	}
	l.clock = clockOf(ctx)
	now := l.clock.Now()
	if until := now.Add(wait + jitter(refusalJitter)); wait > 0 && until.After(l.notBefore) {
		l.held += min(until.Sub(now), until.Sub(l.notBefore))
		l.notBefore, l.accepts = until, 0
	}
	return true
}

// places returns how many of the maxInFlight places a request takes: after a refusal all,
// and half as many whenever the server has accepted some.
func (l *requestLimiter) places() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.notBefore.IsZero() {
		return 1
	}
	return max(1, int64(maxInFlight)>>(l.accepts/slowStart))
}

func (l *requestLimiter) earliest() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.notBefore
}

// isNearLimit reports whether the server has refused a request in the last minute.
func (l *requestLimiter) isNearLimit() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.clock.Now().Sub(l.notBefore) < time.Minute
}

func (l *requestLimiter) waitedSoFar() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held - max(0, l.notBefore.Sub(l.clock.Now()))
}

// headerLimit reads X-RateLimit-Limit; 0 if there is none.
func headerLimit(h http.Header) int {
	limit, _ := strconv.Atoi(h.Get("X-RateLimit-Limit")) // 0 if it is none
	return limit
}

// An interrupted [Change] that has sent a write continues, so that the state gets the result.
const (
	// timeToWrite limits the writes after an interruption. A request without an answer by then counts as lost.
	timeToWrite = 10 * time.Second
	// timeToRead limits the whole rest of the change. The time after timeToWrite is for checking the result of a lost
	// request.
	timeToRead = 20 * time.Second
)

// ErrInterrupted is the cause when the run was interrupted.
var ErrInterrupted = errors.New("the run was interrupted")

// Change is a change of one resource. An interruption must not lose its writes. Before its first write it ends immediately;
// after that it has some seconds to finish.
type Change struct {
	ctx     context.Context //nolint:containedctx // ends when no request may be sent
	cancel  context.CancelCauseFunc
	writing context.Context //nolint:containedctx // ends when no write may be sent
	close   context.CancelCauseFunc

	mu            sync.Mutex
	isInterrupted bool
	writes        int // sent, and not refused early
}

type changeKey struct{}

// NewChange begins a change, and returns the context in which it is carried out. [Change.End] ends it.
func NewChange(ctx context.Context) (context.Context, *Change) {
	change := &Change{}
	change.ctx, change.cancel = context.WithCancelCause(ctx)
	change.writing, change.close = context.WithCancelCause(change.ctx)
	return context.WithValue(change.ctx, changeKey{}, change), change
}

// End releases what the change holds.
func (c *Change) End() { c.cancel(nil) }

// Interrupt ends the change, or lets it finish if a write was sent.
func (c *Change) Interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isInterrupted = true
	if c.writes == 0 {
		c.cancel(ErrInterrupted)
		return
	}
	writes := time.AfterFunc(timeToWrite, func() { c.close(ErrInterrupted) })
	reads := time.AfterFunc(timeToRead, func() { c.cancel(ErrInterrupted) })
	context.AfterFunc(c.ctx, func() { writes.Stop(); reads.Stop() })
}

// begin notes that a write will be sent, or refuses it if no write may be sent.
func (c *Change) begin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.writing.Err(); err != nil {
		return context.Cause(c.writing)
	}
	c.writes++
	return nil
}

// undo notes that a write was not sent, or was refused before the server processed it.
func (c *Change) undo() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes--
	if c.isInterrupted && c.writes == 0 {
		c.cancel(ErrInterrupted)
	}
}

// changeOf returns the change that a context belongs to; nil if it belongs to none.
func changeOf(ctx context.Context) *Change {
	change, _ := ctx.Value(changeKey{}).(*Change)
	return change
}

// IsInterrupted reports whether the run was interrupted. Callers should then leave repetitions to the next run.
func IsInterrupted(ctx context.Context) bool {
	change := changeOf(ctx)
	if change == nil {
		return false
	}
	change.mu.Lock()
	defer change.mu.Unlock()
	return change.isInterrupted
}

// Write makes a call that writes for several changes together. It uses the context of one of them, and an interruption
// waits for it in each of them.
func Write(ctx context.Context, call func(context.Context) error) error {
	if change := changeOf(ctx); change != nil {
		if err := change.begin(); err != nil {
			return err
		}
	}
	err := call(context.WithoutCancel(ctx))
	if change := changeOf(ctx); change != nil && err != nil && !MayHaveHappened(err) {
		change.undo()
	}
	return err
}

// writeContext returns a context that ends when ctx does, or when no write may be in flight.
func writeContext(ctx context.Context) (_ context.Context, end func()) {
	change := changeOf(ctx)
	if change == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	unlink := context.AfterFunc(change.writing, func() { cancel(context.Cause(change.writing)) })
	return ctx, func() { unlink(); cancel(nil) }
}
