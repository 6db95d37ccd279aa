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

// repeat says what a second time of the same call would do.
type repeat int

const (
	never repeat = iota // a second time may do it twice: creates
	safe                // reads, and writes that set a value: the same again changes nothing
)

const (
	shortestBackoff = 500 * time.Millisecond
	longestBackoff  = 10 * time.Second

	// longestRefusal is how long one call waits for the rate limit in all. In
	// the middle of changes that is the hour that a server looks back on: to
	// give up would end every change that is still to come in an error. Who has
	// changed nothing yet loses nothing, and is told soon.
	longestRefusal         = 65 * time.Minute
	longestRefusalAtOutset = 15 * time.Minute
	// longestRetryAfter bounds what a header may ask for, against overflow.
	longestRetryAfter = 24 * time.Hour
	// refusalJitter keeps processes that wait for the same moment from coming
	// back together.
	refusalJitter = 250 * time.Millisecond
	// quietWait is the longest wait that is not worth a line at INFO.
	quietWait = 2 * time.Second

	unlimited = math.MaxInt32
)

// retries is what a call remembers from one attempt to the next.
type retries struct {
	failures   int           // attempts that count against the client's maximum
	refusals   int           // by the rate limit
	refused    time.Duration // waited for it so far
	tooLong    bool          // it asks for more than is waited
	retryAfter time.Duration // what the last answer asks for; 0: nothing
	lost       bool          // an earlier attempt may have been carried out
	wait       time.Duration // before the next attempt
	last       error         // of the last attempt
	settled    bool          // the error for the caller was made
}

// checkRetry decides after each attempt. The library asks twice when there is
// an answer: before it is read (err is nil), and after.
func (c *call) checkRetry(ctx context.Context, _ *http.Response, err error) (bool, error) {
	if err == nil {
		return false, nil
	}
	// What http.Client reports is a *url.Error; receive explains its own.
	if network := (*url.Error)(nil); errors.As(err, &network) {
		err = c.connectionError(ctx, err)
		tflog.Debug(ctx, "Zulip did not answer", map[string]any{
			"method": c.method, "path": c.path, "attempt": c.attempts, "error": err.Error(),
			"duration_ms": c.client.clock.now().Sub(c.trace.started).Milliseconds(),
		})
		c.leave(func() { c.neverAnswered(err) })
	}
	c.last = err
	switch {
	case ctx.Err() != nil:
		return false, c.final(err)
	case IsRateLimited(err):
		return c.awaitQuota(ctx, err)
	case !c.mayRepeat(err):
		return false, c.final(err)
	case c.failures >= c.client.maxRetries:
		return false, c.final(err)
	}
	c.lost = c.lost || MayHaveHappened(err)
	c.wait = backoff(c.failures, c.retryAfter)
	c.failures++
	return true, nil
}

// mayRepeat says whether the same call can succeed the next time, and cannot
// be carried out twice.
func (c *call) mayRepeat(err error) bool {
	var (
		refusal    *Error
		page       *NotZulipError
		connection *ConnectionError
		answer     *BadAnswerError
	)
	passing := false
	switch {
	case errors.As(err, &connection):
		passing = !connection.lasting
	case errors.As(err, &refusal):
		passing = isPassing(refusal.Status)
	case errors.As(err, &page):
		passing = isPassing(page.Status)
	case errors.As(err, &answer):
		passing = answer.broken && (answer.Status < 400 || isPassing(answer.Status))
	}
	return passing && (c.again == safe || !MayHaveHappened(err))
}

// settle leaves the pace after an answer, and notes what it says about it.
func (c *call) settle(headers http.Header, err error) {
	switch {
	case !IsRateLimited(err):
		c.leave(func() { c.pace.answered(headers) })
		if err == nil && c.pace != nil && c.writes() {
			c.client.wrote.Store(true)
		}
	case c.pace == nil:
		c.wait = c.acceptRefusal() // it waits alone
	default:
		wait := c.acceptRefusal()
		c.leave(func() {
			if !c.pace.refused(headers, wait) {
				c.wait = wait
			}
		})
	}
}

// acceptRefusal decides how long everybody waits after this call was refused;
// 0 if that is longer than anybody does.
func (c *call) acceptRefusal() time.Duration {
	if c.retryAfter <= 0 {
		c.retryAfter = backoff(c.refusals, 0)
	}
	c.refusals++
	c.refused += c.retryAfter
	if c.tooLong = c.refused > c.patience(); c.tooLong {
		return 0
	}
	return c.retryAfter
}

func (c *call) patience() time.Duration {
	if c.client.wrote.Load() {
		return longestRefusal
	}
	return longestRefusalAtOutset
}

// awaitQuota repeats what the rate limit refused. The server refuses before it
// looks at the call, so even a create can be repeated (server-behavior §R17).
func (c *call) awaitQuota(ctx context.Context, err error) (bool, error) {
	if c.tooLong {
		return false, fmt.Errorf("%w. The server asks to wait for another %s, which is longer than this provider waits (%s for one call). "+
			"Try again then, or set requests_per_minute to spread the requests", c.final(err), c.retryAfter.Round(time.Second), c.patience())
	}
	tflog.Debug(ctx, "The server's rate limit is reached", map[string]any{"method": c.method, "path": c.path, "wait": c.retryAfter.String()})
	return true, nil
}

// neverAnswered leaves the pace after an attempt without an answer. If it may
// have arrived, it counts.
func (c *call) neverAnswered(err error) {
	if MayHaveHappened(err) {
		c.pace.answered(nil)
	} else {
		c.pace.lost()
	}
}

// prepareRetry waits before an attempt that repeats another.
func (c *call) prepareRetry(req *http.Request) error {
	ctx := req.Context()
	if c.wait > quietWait {
		tflog.Info(ctx, "Waiting before the request is repeated", map[string]any{
			"method": c.method, "path": c.path, "wait": c.wait.String(), "because": c.last.Error(),
		})
	}
	err := c.client.clock.sleep(ctx, c.wait)
	if err == nil {
		err = c.enter(ctx)
	}
	if err != nil {
		return c.stopped(err)
	}
	return nil
}

// stopped is the error when ctx ends between two attempts.
func (c *call) stopped(err error) error {
	c.settled = true
	return fmt.Errorf("stopped while waiting to repeat a request: %w; it had failed: %w", err, c.final(c.last))
}

// final is the error the caller gets: with what earlier attempts may have
// done, and how many there were.
func (c *call) final(err error) error {
	c.settled = true
	var refusal *Error
	if c.lost && errors.As(err, &refusal) {
		refusal.AfterLostAnswer = true
	}
	if c.failures > 0 {
		err = fmt.Errorf("%w (tried %d times)", err, c.attempts)
	}
	if c.lost && !MayHaveHappened(err) {
		err = &lostError{err}
	}
	return err
}

// isPassing: a status that another attempt may not meet again. 501 stays.
func isPassing(status int) bool {
	return status >= http.StatusInternalServerError && status != http.StatusNotImplemented
}

// backoff is the wait after the n-th failure (from 0): doubled each time, with
// a quarter of it left to chance, or as long as an overloaded server asks for.
func backoff(n int, retryAfter time.Duration) time.Duration {
	wait := retryablehttp.DefaultBackoff(shortestBackoff, longestBackoff, n, nil)
	wait = max(wait, min(retryAfter, time.Minute))
	return wait - jitter(wait/4)
}

// jitter is a random part of d, so that many clients do not act as one.
func jitter(d time.Duration) time.Duration {
	return rand.N(d) //nolint:gosec // nobody gains from guessing it
}

// parseRetryAfter reads the header Retry-After: seconds, with a fraction as
// this server writes them ("58.24295520782471"), or a date as a proxy may.
// What is neither is 0.
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
	case seconds >= longestRetryAfter.Seconds():
		return longestRetryAfter
	}
	// Rounded up: a moment early is refused once more.
	return time.Duration(math.Ceil(seconds * float64(time.Second)))
}
