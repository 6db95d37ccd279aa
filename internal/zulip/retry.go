package zulip

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// retryPolicy reports whether a call may be sent again when its answer was lost.
type retryPolicy int

const (
	neverRetry  retryPolicy = iota // sent twice it may be applied twice, like most creates
	safeToRetry                    // reads, and writes that have the same result when they are repeated
	// sendOnce is for what is not worth a wait, and for a write whose meaning may have changed after one, as where it goes
	// by a name: the caller reads again, and sends what is right then. See [Client.Retry].
	sendOnce
)

const (
	minBackoff = 500 * time.Millisecond
	maxBackoff = 10 * time.Second

	// rateLimitWaitAfterWrite is how long one call waits for the rate limit in total,
	// once the client has changed something: the hour that the server's longest rule
	// covers. Giving up then would fail every change that is still to come. A client that
	// has changed nothing yet gives up after rateLimitWaitBeforeWrite.
	rateLimitWaitAfterWrite  = 65 * time.Minute
	rateLimitWaitBeforeWrite = 15 * time.Minute
	// maxRetryAfter limits the wait a header may ask for, to avoid overflow.
	maxRetryAfter = 24 * time.Hour
	// refusalJitter keeps processes that wait for the same point in time from
	// sending together.
	refusalJitter = 250 * time.Millisecond
	// maxUnloggedWait is the longest wait that is not worth a line at INFO.
	maxUnloggedWait = 2 * time.Second

	unlimited = math.MaxInt32
)

// retryState is what a call keeps from one attempt to the next.
type retryState struct {
	failures      int           // attempts that count against the client's maximum
	refusals      int           // by the rate limit
	rateLimitWait time.Duration // waited for it so far
	waitTooLong   bool          // it asks for more than is waited
	retryAfter    time.Duration // what the last answer asks for; 0: nothing
	maybeApplied  bool          // an earlier attempt may have been carried out
	wait          time.Duration // before the next attempt
	last          error         // of the last attempt
	isFinal       bool          // the error for the caller was created
}

// checkRetry decides after each attempt whether there is another one. When there is an
// answer the library asks twice: before it is read (err is nil), and after.
func (c *call) checkRetry(ctx context.Context, _ *http.Response, err error) (bool, error) {
	if err == nil {
		return false, nil
	}
	// Errors of http.Client are *url.Error; those of receive are explained already.
	if network := (*url.Error)(nil); errors.As(err, &network) {
		err = c.connectionError(ctx, err)
		tflog.Debug(ctx, "Zulip did not answer", map[string]any{
			"method": c.method, "path": c.path, "attempt": c.attempts, "error": err.Error(),
			"duration_ms": c.client.clock.now().Sub(c.trace.started).Milliseconds(),
		})
		c.release(func() { c.recordNoAnswer(err) })
	}
	return c.decideRetry(ctx, err)
}

// decideRetry reports whether there is another attempt after an error, and sets how long to wait before it.
func (c *call) decideRetry(ctx context.Context, err error) (bool, error) {
	c.last = err
	var connection *ConnectionError
	if c.change != nil && (IsRateLimited(err) || errors.As(err, &connection) && !connection.MayHaveHappened) {
		c.change.undo()
	}
	switch {
	case ctx.Err() != nil, c.policy == sendOnce, c.writes() && ctx.Value(sendOnceKey{}) != nil:
		return false, c.finalError(err)
	case IsRateLimited(err):
		return c.retryRateLimited(ctx, err)
	case !c.mayRetry(err):
		return false, c.finalError(err)
	case c.failures >= c.client.maxRetries:
		return false, c.finalError(err)
	}
	c.maybeApplied = c.maybeApplied || MayHaveHappened(err)
	c.wait = backoff(c.failures, c.retryAfter)
	c.failures++
	return true, nil
}

// mayRetry reports whether another attempt can succeed and cannot be applied twice.
func (c *call) mayRetry(err error) bool {
	var (
		refusal    *Error
		page       *NotZulipError
		connection *ConnectionError
		answer     *BadAnswerError
	)
	transient := false
	switch {
	case errors.As(err, &connection):
		transient = !connection.permanent
	case errors.As(err, &refusal):
		transient = isTransient(refusal.Status)
	case errors.As(err, &page):
		transient = isTransient(page.Status)
	case errors.As(err, &answer):
		transient = answer.damaged && (answer.Status < 400 || isTransient(answer.Status))
	}
	return transient && (c.policy == safeToRetry || !MayHaveHappened(err))
}

// recordOutcome releases the limiter after an answer.
func (c *call) recordOutcome(headers http.Header, err error) {
	switch {
	case !IsRateLimited(err):
		c.release(func() { c.limiter.releaseCounted(headers) })
		if err == nil && c.limiter != nil && c.writes() {
			c.client.hasWritten.Store(true)
		}
	case c.limiter == nil:
		c.wait = c.addRateLimitWait() // other calls are not affected
	default:
		wait := c.addRateLimitWait()
		c.release(func() {
			if !c.limiter.releaseRefused(headers, wait) {
				c.wait = wait
			}
		})
	}
}

// addRateLimitWait returns how long to wait after the rate limit refused this call;
// 0 if the call gives up instead.
func (c *call) addRateLimitWait() time.Duration {
	if c.retryAfter <= 0 {
		c.retryAfter = backoff(c.refusals, 0)
	}
	c.refusals++
	c.rateLimitWait += c.retryAfter
	if c.waitTooLong = c.rateLimitWait > c.maxRateLimitWait(); c.waitTooLong {
		return 0
	}
	return c.retryAfter
}

func (c *call) maxRateLimitWait() time.Duration {
	if c.client.hasWritten.Load() {
		return rateLimitWaitAfterWrite
	}
	return rateLimitWaitBeforeWrite
}

// retryRateLimited repeats what the rate limit refused. The server refuses before it
// looks at the call, so even a create can be repeated (server-behavior §R17).
func (c *call) retryRateLimited(ctx context.Context, err error) (bool, error) {
	if c.waitTooLong {
		return false, fmt.Errorf("%w. The server asks to wait for another %s, which is longer than this provider waits (%s for one call). "+
			"Try again then, or set requests_per_minute to spread the requests", c.finalError(err), c.retryAfter.Round(time.Second), c.maxRateLimitWait())
	}
	tflog.Debug(ctx, "The server's rate limit is reached", map[string]any{"method": c.method, "path": c.path, "wait": c.retryAfter.String()})
	return true, nil
}

// recordNoAnswer releases the limiter after an attempt without an answer. If the request
// may have arrived, it counts.
func (c *call) recordNoAnswer(err error) {
	if MayHaveHappened(err) {
		c.limiter.releaseCounted(nil)
	} else {
		c.limiter.releaseUnsent()
	}
}

// Retry calls attempt until it succeeds, fails for good, or has failed as often as a request is repeated, and waits in
// between as between the repetitions of a request. It is for calls that send a request once only, like [Client.Subscribe], or
// under [SendOnce]: attempt reads again what the request depends on, and then sends it.
func (c *Client) Retry(ctx context.Context, attempt func(context.Context) error) error {
	for retries := c.NewRetries(); ; {
		err := attempt(ctx)
		if err == nil {
			return nil
		}
		if err := retries.Wait(ctx, err); err != nil {
			return err
		}
	}
}

type sendOnceKey struct{}

// SendOnce returns a context under which a write is sent once: its meaning may have changed after a wait.
func SendOnce(ctx context.Context) context.Context {
	return context.WithValue(ctx, sendOnceKey{}, true)
}

// Retries are the waits between the attempts of [Client.Retry].
type Retries struct{ call *call }

// NewRetries returns the waits before the first attempt.
func (c *Client) NewRetries() *Retries {
	attempts := c.newCall("", "", "", nil, safeToRetry)
	attempts.beginAttempt(nil, nil, 0)
	return &Retries{attempts}
}

// Wait waits after an attempt that failed with an error, and returns nil if there is to be another one. Otherwise it returns
// the error for the caller.
func (r *Retries) Wait(ctx context.Context, err error) error {
	attempts := r.call
	var refusal *Error
	if errors.As(err, &refusal) {
		attempts.method, attempts.path = refusal.Method, refusal.Path
		attempts.retryAfter = bodyRetryAfter(refusal.Fields)
	}
	if IsRateLimited(err) {
		attempts.wait = attempts.addRateLimitWait()
	}
	again, err := attempts.decideRetry(ctx, err)
	if again {
		err = attempts.waitForRetry(ctx)
	}
	if err == nil {
		attempts.beginAttempt(nil, nil, 0)
	}
	return err
}

// prepareRetry waits before the next attempt.
func (c *call) prepareRetry(req *http.Request) error { return c.waitForRetry(req.Context()) }

func (c *call) waitForRetry(ctx context.Context) error {
	if c.wait > maxUnloggedWait {
		tflog.Info(ctx, "Waiting before the request is repeated", map[string]any{
			"method": c.method, "path": c.path, "wait": c.wait.String(), "because": c.last.Error(),
		})
	}
	err := c.client.clock.sleep(ctx, c.wait)
	if err == nil {
		err = c.acquire(ctx)
	}
	if err != nil {
		return c.stoppedError(err)
	}
	return nil
}

// stoppedError is the error when ctx ends between two attempts.
func (c *call) stoppedError(err error) error {
	c.isFinal = true
	if errors.Is(err, ErrInterrupted) && !c.maybeApplied && !MayHaveHappened(c.last) {
		return fmt.Errorf("%s %s: not carried out: %w", c.method, c.path, err)
	}
	return fmt.Errorf("stopped while waiting to repeat a request: %w; it had failed: %w", err, c.finalError(c.last))
}

// finalError is the error that the caller gets. It says how many attempts there were, and
// whether an earlier one may have been applied.
func (c *call) finalError(err error) error {
	c.isFinal = true
	var refusal *Error
	if c.maybeApplied && errors.As(err, &refusal) {
		refusal.AfterLostAnswer = true
	}
	if c.failures > 0 {
		err = fmt.Errorf("%w (tried %d times)", err, c.attempts)
	}
	if c.maybeApplied && !MayHaveHappened(err) {
		err = &maybeAppliedError{err}
	}
	return err
}

// isTransient reports whether another attempt may have another status. 501 is permanent.
func isTransient(status int) bool {
	return status >= http.StatusInternalServerError && status != http.StatusNotImplemented
}

// backoff returns the wait after the n-th failure (from 0): doubled each time, with
// random jitter of a quarter, or as long as an overloaded server asks for.
func backoff(n int, retryAfter time.Duration) time.Duration {
	wait := retryablehttp.DefaultBackoff(minBackoff, maxBackoff, n, nil)
	wait = max(wait, min(retryAfter, time.Minute))
	return wait - jitter(wait/4)
}

// jitter returns a random part of d, so that many clients do not retry at the same time.
func jitter(d time.Duration) time.Duration {
	return rand.N(d) //nolint:gosec // nobody gains from guessing it
}

// parseRetryAfter reads the header Retry-After: seconds, with a fraction as
// this server writes them ("58.24295520782471"), or a date as a proxy may.
// Anything else is 0.
func parseRetryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.ParseFloat(header, 64); err == nil {
		return boundedSeconds(seconds)
	}
	if at, err := http.ParseTime(header); err == nil {
		return boundedSeconds(at.Sub(now).Seconds())
	}
	return 0
}

// bodyRetryAfter reads the field retry-after of a refusal; it may be null.
func bodyRetryAfter(fields map[string]json.RawMessage) time.Duration {
	var seconds float64
	if json.Unmarshal(fields["retry-after"], &seconds) != nil {
		return 0
	}
	return boundedSeconds(seconds)
}

func boundedSeconds(seconds float64) time.Duration {
	switch {
	case math.IsNaN(seconds) || seconds <= 0:
		return 0
	case seconds >= maxRetryAfter.Seconds():
		return maxRetryAfter
	}
	// Rounded up: a request that comes too early is refused again.
	return time.Duration(math.Ceil(seconds * float64(time.Second)))
}
