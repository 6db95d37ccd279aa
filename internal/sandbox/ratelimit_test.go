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

func TestTheShortestRuleSpeaks(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	l := newRateLimiter([]RateLimit{{time.Hour, 2}, {time.Minute, 2}})
	for range 2 {
		if _, err := l.allow(1, now); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct{ after, wait time.Duration }{{10 * time.Second, 50 * time.Second}, {time.Minute, 59 * time.Minute}} {
		_, err := l.allow(1, now.Add(step.after))
		if wait := time.Duration(rateLimitWait(err) * float64(time.Second)); wait != step.wait {
			t.Errorf("after %v: wait %v, want %v", step.after, wait, step.wait)
		}
	}
}

func TestEventQueuesAreCountedByThemselves(t *testing.T) {
	s := start(t, Config{RateLimits: []RateLimit{{time.Hour, 3}}})
	queue := must(t, s, "admin", "POST", "/register", map[string]any{"fetch_event_types": []string{"realm_user_groups"}})
	got := ask(t, s, "admin", "DELETE", "/events", map[string]any{"queue_id": queue.body["queue_id"]})
	if got.status != 200 || got.header.Get("X-RateLimit-Remaining") != "2" {
		t.Errorf("%d %v", got.status, got.header)
	}
	if got := ask(t, s, "admin", "GET", "/users/me", nil); got.header.Get("X-RateLimit-Remaining") != "1" {
		t.Errorf("the end of a queue was counted: %v", got.header)
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
