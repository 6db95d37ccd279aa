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

// requestLimiter decides when the next request of one account may be sent: at most
// maxInFlight are in flight, at most requests_per_minute are sent, and after a 429 that is
// about the whole account none is sent before the time that the server names. Then one is
// sent at a time, and twice as many whenever slowStart were accepted: under a rule of a few
// requests a second most would be refused otherwise, and a write that is sent once only
// might never get through. Those that were refused go first (server-behavior §R17).
//
// A request calls acquire, and release when it has ended; in between accepted or refused,
// if the server said so.
type requestLimiter struct {
	// line lets requests go in the order in which they ask: a read that several writes
	// share is sent after them (see [WhenSent]), and before the writes that come later.
	line       *semaphore.Weighted
	inFlight   *semaphore.Weighted
	configured *rate.Limiter  // requests_per_minute
	logged     rate.Sometimes // for waits for requests_per_minute

	mu        sync.Mutex
	limit     int           // X-RateLimit-Limit of the account (server-behavior §R18); 0: unknown
	notBefore time.Time     // no request is sent earlier, after a refusal
	accepts   int           // how many requests were accepted after notBefore
	held      time.Duration // how long requests are held back by refusals, until notBefore
}

// WhenSent returns a context for a call that calls onSend just before its request is
// sent, after all waiting: the answer includes every change made before that. onSend is
// called again if the request is repeated.
func WhenSent(ctx context.Context, onSend func()) context.Context {
	return context.WithValue(ctx, whenSent{}, onSend)
}

type whenSent struct{}

// sharedLimiters are the limiters of the accounts, by limiterKey. All clients of one account
// share one: several provider configurations can be served by the same process.
var sharedLimiters sync.Map

type limiterKey struct {
	site, authorization string
	perMinute           int
}

// sharedLimiter returns the limiter that all clients with this key share.
func sharedLimiter(key limiterKey) *requestLimiter {
	shared, _ := sharedLimiters.LoadOrStore(key, newRequestLimiter(key.perMinute))
	return shared.(*requestLimiter) //nolint:errcheck // nothing else is stored
}

// newRequestLimiter returns a limiter for at most perMinute requests in any minute; 0 has
// the server's limit only.
func newRequestLimiter(perMinute int) *requestLimiter {
	l := &requestLimiter{
		line: semaphore.NewWeighted(1), inFlight: semaphore.NewWeighted(maxInFlight),
		configured: rate.NewLimiter(rate.Inf, 0), logged: rate.Sometimes{Interval: logWaitEvery},
	}
	if perMinute > 0 {
		// A tenth may be sent at once, so that a small plan does not wait. The rest
		// is spread; together they are no more than perMinute.
		burst := max(1, perMinute/10)
		l.configured = rate.NewLimiter(rate.Limit(float64(perMinute-burst+1)/60), burst)
	}
	return l
}

// acquire returns when a request may be sent, or when ctx ends. One that is urgent, like one
// that has waited before, does not stand in line. places is for release.
func (l *requestLimiter) acquire(ctx context.Context, isUrgent bool) (places int64, err error) {
	if !isUrgent {
		if l.line.Acquire(ctx, 1) != nil {
			return 0, context.Cause(ctx)
		}
		defer l.line.Release(1)
	}
	places = l.places()
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
	reservation := l.configured.Reserve()
	if wait := reservation.Delay(); wait > 0 {
		if wait > maxUnloggedWait {
			l.logged.Do(func() { logWait(ctx, "Requests wait to keep to requests_per_minute", wait) })
		}
		if err := Sleep(ctx, wait); err != nil {
			reservation.Cancel()
			return err
		}
	}
	for { // a request that is still in flight may be refused meanwhile
		wait := time.Until(l.earliest())
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

// release ends a request.
func (l *requestLimiter) release(places int64) { l.inFlight.Release(places) }

// accepted notes that the server counted a request.
func (l *requestLimiter) accepted(headers http.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limit = max(l.limit, headerLimit(headers))
	if time.Now().After(l.notBefore) {
		l.accepts++
	}
}

// refused notes that the server refused a request with a 429: none is sent before wait is
// over. It reports whether the limit is one of the whole account. If it is one of this kind
// of request only, which is lower, the caller waits by itself.
func (l *requestLimiter) refused(headers http.Header, wait time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if limit := headerLimit(headers); limit > 0 && limit < l.limit {
		return false
	}
	now := time.Now()
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
	return time.Since(l.earliest()) < time.Minute
}

func (l *requestLimiter) waitedSoFar() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held - max(0, time.Until(l.notBefore))
}

// headerLimit reads X-RateLimit-Limit; 0 if there is none.
func headerLimit(h http.Header) int {
	limit, _ := strconv.Atoi(h.Get("X-RateLimit-Limit")) // 0 if it is none
	return limit
}

// Sleep returns after d, or with the error of ctx as soon as it ends.
func Sleep(ctx context.Context, d time.Duration) error {
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

// After an interruption a [Change] that has sent something goes on, so that what the server was asked for gets into the state.
const (
	// timeToWrite is how long its writes may still take. A request that has no answer by then counts as lost.
	timeToWrite = 10 * time.Second
	// timeToRead is how long it may take in all: what is left is for looking after what became of a lost request.
	timeToRead = 20 * time.Second
)

// ErrInterrupted is the cause when the run was interrupted.
var ErrInterrupted = errors.New("the run was interrupted")

// Change is a change of one resource, of which an interruption must not lose what was sent. Until its first write is sent
// it ends at once; after that it has some seconds to finish.
type Change struct {
	ctx     context.Context //nolint:containedctx // ends when nothing may be sent any more
	cancel  context.CancelCauseFunc
	writing context.Context //nolint:containedctx // ends when no write may be sent any more
	close   context.CancelCauseFunc

	mu            sync.Mutex
	isInterrupted bool
	writes        int // sent, and not refused without being looked at
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

// Interrupt lets the change finish what was sent, if anything was.
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

// begin notes that a write is about to be sent, and refuses it if it may not be any more.
func (c *Change) begin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.writing.Err(); err != nil {
		return context.Cause(c.writing)
	}
	c.writes++
	return nil
}

// undo notes that a write was not sent after all, or refused without being looked at.
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

// IsInterrupted reports whether the run was interrupted: what a change would repeat is then better left to the next run.
func IsInterrupted(ctx context.Context) bool {
	change := changeOf(ctx)
	if change == nil {
		return false
	}
	change.mu.Lock()
	defer change.mu.Unlock()
	return change.isInterrupted
}

// Write makes a call that writes for several changes at once, of which the context of one is used to send it: an
// interruption waits for it in each of them.
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

// writeContext returns a context that ends when ctx does, or no write may be under way any more.
func writeContext(ctx context.Context) (_ context.Context, end func()) {
	change := changeOf(ctx)
	if change == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	unlink := context.AfterFunc(change.writing, func() { cancel(context.Cause(change.writing)) })
	return ctx, func() { unlink(); cancel(nil) }
}
