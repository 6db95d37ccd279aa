package sandbox

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// RateLimit allows a number of requests within a window of time, for each
// account.
type RateLimit struct {
	Window   time.Duration
	Requests int
}

// DefaultRateLimits returns what a server comes with: 200 requests a minute and
// 2,000 an hour (server-behavior §R17).
func DefaultRateLimits() []RateLimit {
	return []RateLimit{{time.Minute, 200}, {time.Hour, 2000}}
}

// rateLimiter remembers the times of each account's requests. A refused request
// is not remembered.
type rateLimiter struct {
	rules []RateLimit // ascending windows
	calls map[int][]time.Time
}

func newRateLimiter(rules []RateLimit) rateLimiter {
	rules = slices.Clone(rules)
	slices.SortFunc(rules, func(a, b RateLimit) int { return cmp.Compare(a.Window, b.Window) })
	return rateLimiter{rules: rules, calls: map[int][]time.Time{}}
}

// allow counts a call of an account at a moment. The headers it returns speak
// of the last rule only, so the shorter ones give no warning.
func (l *rateLimiter) allow(account int, now time.Time) (http.Header, error) {
	if len(l.rules) == 0 {
		return nil, nil
	}
	longest := l.rules[len(l.rules)-1]
	calls := l.within(account, now, longest.Window)
	for _, rule := range l.rules {
		if n := len(calls); n >= rule.Requests {
			// The shortest rule that is met speaks, even if a longer one is met too.
			if wait := calls[n-rule.Requests].Add(rule.Window).Sub(now); wait > 0 {
				return rateHeaders(longest.Requests, 0, now.Add(wait)), rateLimited(wait)
			}
		}
	}
	l.calls[account] = append(calls, now)
	return rateHeaders(longest.Requests, longest.Requests-len(calls)-1, now.Add(longest.Window)), nil
}

// within forgets an account's calls that are older than the window.
func (l *rateLimiter) within(account int, now time.Time, window time.Duration) []time.Time {
	calls := l.calls[account]
	for len(calls) > 0 && now.Sub(calls[0]) >= window {
		calls = calls[1:]
	}
	return calls
}

func rateHeaders(limit, remaining int, reset time.Time) http.Header {
	return http.Header{
		"X-Ratelimit-Limit":     {strconv.Itoa(limit)},
		"X-Ratelimit-Remaining": {strconv.Itoa(remaining)},
		"X-Ratelimit-Reset":     {strconv.FormatInt(reset.Unix(), 10)},
	}
}

func rateLimited(wait time.Duration) *rules.Error {
	return &rules.Error{
		Status: http.StatusTooManyRequests,
		Code:   "RATE_LIMIT_HIT",
		Msg:    "API usage exceeded rate limit; see https://zulip.com/api/http-headers#rate-limiting-response-headers",
		Extra:  fields{"retry-after": wait.Seconds()},
	}
}

// rateLimitWait reads the seconds out of what rateLimited made.
func rateLimitWait(err error) float64 {
	var refusal *rules.Error
	if !errors.As(err, &refusal) {
		return 0
	}
	wait, _ := refusal.Extra["retry-after"].(float64)
	return wait
}

// retryAfter writes a wait as the header has it: seconds with a fraction.
func retryAfter(wait float64) string {
	return strconv.FormatFloat(wait, 'f', -1, 64)
}
