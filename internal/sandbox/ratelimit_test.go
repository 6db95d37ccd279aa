package sandbox

import (
	"testing"
	"time"
)

func TestRateLimiter(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	l := newRateLimiter([]RateLimit{{time.Hour, 4}, {time.Minute, 2}})
	steps := []struct {
		after     time.Duration
		account   int
		wait      time.Duration // 0: allowed
		remaining string
	}{
		{0, 1, 0, "3"},
		{10 * time.Second, 1, 0, "2"},
		{10 * time.Second, 1, 40 * time.Second, "0"},
		{10 * time.Second, 1, 30 * time.Second, "0"}, // what was refused did not count
		{0, 2, 0, "3"},                               // another account has its own
		{30 * time.Second, 1, 0, "1"},                // the first call has left the minute
		{10 * time.Second, 1, 0, "0"},
		{time.Minute, 1, time.Hour - 130*time.Second, "0"}, // the hour is used up
		{time.Hour - 130*time.Second, 1, 0, "0"},
	}
	for i, step := range steps {
		now = now.Add(step.after)
		headers, err := l.allow(step.account, now)
		var wait time.Duration
		if err != nil {
			wait = time.Duration(rateLimitWait(err) * float64(time.Second))
		}
		if wait.Round(time.Millisecond) != step.wait || headers.Get("X-RateLimit-Remaining") != step.remaining || headers.Get("X-RateLimit-Limit") != "4" {
			t.Errorf("step %d: wait %v, headers %v; want %v, %s", i, wait, headers, step.wait, step.remaining)
		}
	}
}

func TestRateLimitedRequestChangesNothing(t *testing.T) {
	s := start(t, Config{RateLimits: []RateLimit{{time.Hour, 1}}})
	must(t, s, "admin", "GET", "/users/me", nil)
	got := ask(t, s, "admin", "POST", "/channels/create", map[string]any{"name": "x", "subscribers": []int{}})
	if got.status != 429 || got.header.Get("Retry-After") == "" || got.header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("%d %v", got.status, got.header)
	}
	if _, exists := s.Organization().Channel("x"); exists {
		t.Error("a limited request made a channel")
	}
	if got := ask(t, s, "nobody", "GET", "/server_settings", nil); got.status != 200 || got.header.Get("X-RateLimit-Limit") != "" {
		t.Errorf("an open endpoint is limited: %d %v", got.status, got.header)
	}
}
