package zulip

import (
	"context"
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
	neverRetry  retryPolicy = iota // a repeated call may be applied twice, like most creates
	safeToRetry                    // reads, and writes that have the same result when they are repeated
	// sendOnce is for calls that are not worth a wait, and for writes with a meaning that a wait can change, for example a
	// write by name. The caller reads again, and sends the right request then. See [Client.Retry].
	sendOnce
)

const (
	minBackoff = 500 * time.Millisecond
	maxBackoff = 10 * time.Second

	// rateLimitWaitAfterWrite limits the total wait of one call for the rate limit, after the client has changed something.
	// It covers the hour of the server's longest rule, because giving up would fail all remaining changes. A client that
	// has changed nothing yet gives up after rateLimitWaitBeforeWrite.
	rateLimitWaitAfterWrite  = 65 * time.Minute
	rateLimitWaitBeforeWrite = 15 * time.Minute
	// maxRetryAfter limits the wait a header may ask for, to avoid overflow.
	maxRetryAfter = 24 * time.Hour

	unlimited = math.MaxInt32
)

// retryState is the state of a call between attempts.
type retryState struct {
	failures      int           // attempts that count against the client's maximum
	rateLimitWait time.Duration // that the server asked for so far
	waitTooLong   bool          // the server asks for more than the limit
	retryAfter    time.Duration // wait that the last answer asks for; 0: none
	maybeApplied  bool          // an earlier attempt may have been applied
	wait          time.Duration // before the next attempt
	last          error         // of the last attempt
	isBetween     bool          // the last attempt failed, and another one will follow
}

// checkRetry decides after each attempt whether there is another one. If an answer arrives, the library calls it twice:
// before reading it (err is nil), and after.
func (c *call) checkRetry(ctx context.Context, _ *http.Response, err error) (bool, error) {
	if err == nil {
		return false, nil
	}
	// Errors of http.Client are *url.Error; those of receive are explained already.
	if network := (*url.Error)(nil); errors.As(err, &network) {
		err = c.connectionError(ctx, err)
		tflog.Debug(ctx, "Zulip did not answer", map[string]any{
			"method": c.method, "path": c.path, "attempt": c.attempts, "error": err.Error(),
			"duration_ms": time.Since(c.trace.started).Milliseconds(),
		})
		c.release()
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
	case ctx.Err() != nil, c.isSentOnce(ctx):
		return false, err
	case IsRateLimited(err):
		// The server refuses before it looks at the call, so even a create can be repeated (server-behavior §R17).
		if c.waitTooLong {
			return false, fmt.Errorf("%w. The server asks to wait for another %s, which is longer than this provider waits (%s for one call). "+
				"Try again after that, or set requests_per_minute to spread the requests", err, c.retryAfter.Round(time.Second), c.maxRateLimitWait())
		}
	case !c.mayRetry(err) || c.failures >= c.client.maxRetries:
		return false, err
	default:
		c.maybeApplied = c.maybeApplied || MayHaveHappened(err)
		c.wait = backoff(c.failures, c.retryAfter)
		c.failures++
	}
	if c.wait > maxUnloggedWait {
		tflog.Info(ctx, "Waiting before the request is repeated", map[string]any{
			"method": c.method, "path": c.path, "wait": c.wait.String(), "because": err.Error(),
		})
	}
	c.isBetween = true
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

// recordOutcome ends an attempt that was answered. If the rate limit refused it, either the limiter or the call waits.
func (c *call) recordOutcome(ctx context.Context, headers http.Header, err error) {
	switch {
	case IsRateLimited(err):
		if c.addRateLimitWait(); c.limiter != nil && c.limiter.refused(ctx, headers, c.wait) {
			c.wait = 0 // the limiter waits, for all calls
			if c.places == maxInFlight {
				return // it was sent alone, and remains the first
			}
		}
	case c.limiter != nil:
		c.limiter.accepted(ctx, headers)
		if err == nil && c.writes() {
			c.client.hasWritten.Store(true)
		}
	}
	c.release()
}

// addRateLimitWait sets how long to wait after the rate limit refused this call; 0 if the call gives up instead.
func (c *call) addRateLimitWait() {
	if c.retryAfter <= 0 {
		c.retryAfter = backoff(c.attempts-1, 0)
	}
	c.rateLimitWait += c.retryAfter
	if c.waitTooLong = c.rateLimitWait > c.maxRateLimitWait(); !c.waitTooLong {
		c.wait = c.retryAfter
	}
}

func (c *call) maxRateLimitWait() time.Duration {
	if c.client.hasWritten.Load() {
		return rateLimitWaitAfterWrite
	}
	return rateLimitWaitBeforeWrite
}

// Retry calls attempt until it succeeds, fails permanently, or has failed as often as the client repeats a request. It
// waits in between like a repeated request. It is for calls that send a request once, like [Client.Subscribe], or under
// [SendOnce]. attempt reads again the objects that the request depends on, and then sends it.
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

func (c *call) isSentOnce(ctx context.Context) bool {
	return c.policy == sendOnce || c.writes() && ctx.Value(sendOnceKey{}) != nil
}

// Retries are the waits between the attempts of [Client.Retry].
type Retries struct{ call *call }

// NewRetries returns the waits before the first attempt.
func (c *Client) NewRetries() *Retries {
	attempts := c.newCall("", "", "", nil, safeToRetry)
	attempts.beginAttempt(nil, nil, 0)
	return &Retries{attempts}
}

// Wait waits after an attempt that failed with an error, and returns nil if another attempt should follow. Otherwise it
// returns the error for the caller. It allows another attempt under [SendOnce] too, because the caller reads again before it.
func (r *Retries) Wait(ctx context.Context, err error) error {
	ctx, attempts := context.WithValue(ctx, sendOnceKey{}, nil), r.call
	var refusal *Error
	if errors.As(err, &refusal) {
		attempts.method, attempts.path = refusal.Method, refusal.Path
		attempts.retryAfter = bodyRetryAfter(refusal)
	}
	if IsRateLimited(err) {
		attempts.addRateLimitWait()
	}
	again, err := attempts.decideRetry(ctx, err)
	if again {
		err = Sleep(ctx, attempts.wait)
	}
	if err != nil {
		return attempts.finalError(ctx, err)
	}
	attempts.beginAttempt(nil, nil, 0)
	return nil
}

// finalError is the error that the caller gets. It includes the number of attempts, whether an earlier one may have been
// applied, and why the wait for the next one ended.
func (c *call) finalError(ctx context.Context, err error) error {
	var stopped error
	if c.isBetween {
		if stopped, err = err, c.last; ctx.Err() != nil {
			stopped = context.Cause(ctx)
		}
		if errors.Is(stopped, ErrInterrupted) && !c.maybeApplied && !MayHaveHappened(err) {
			return fmt.Errorf("%s %s: not carried out: %w", c.method, c.path, stopped)
		}
	}
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
	if stopped != nil {
		return fmt.Errorf("stopped while waiting to repeat a request: %w; it had failed: %w", stopped, err)
	}
	return err
}

// isTransient reports whether another attempt may have another status. 501 is permanent.
func isTransient(status int) bool {
	return status >= http.StatusInternalServerError && status != http.StatusNotImplemented
}

// backoff returns the wait after the n-th failure (from 0). It doubles each time, with random jitter of a quarter. An
// overloaded server can ask for a longer wait.
func backoff(n int, retryAfter time.Duration) time.Duration {
	wait := retryablehttp.DefaultBackoff(minBackoff, maxBackoff, n, nil)
	wait = max(wait, min(retryAfter, time.Minute))
	return wait - jitter(wait/4)
}

// jitter returns a random part of d, so that many clients do not retry at the same time.
func jitter(d time.Duration) time.Duration {
	return rand.N(d) //nolint:gosec // an attacker gains nothing from guessing it
}

// parseRetryAfter reads the header Retry-After: seconds, with a fraction as this server writes them ("58.24295520782471"),
// or a date as a proxy may. Any other text is 0.
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
func bodyRetryAfter(refusal *Error) time.Duration {
	return parseRetryAfter(string(refusal.Fields["retry-after"]), time.Time{})
}

func boundedSeconds(seconds float64) time.Duration {
	if math.IsNaN(seconds) || seconds <= 0 {
		return 0
	}
	// Rounded up: a request that comes too early is refused again.
	return time.Duration(math.Ceil(min(seconds, maxRetryAfter.Seconds()) * float64(time.Second)))
}
