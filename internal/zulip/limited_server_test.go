package zulip

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// limitedServer limits one account as a server does (server-behavior §R17): it counts
// what it takes, checks the rules from the shortest to the longest, and its
// headers speak of the longest. It knows nothing of the client's own counting.
type limitedServer struct {
	rules   []rule // ascending windows; none: no limit and no headers
	silent  bool   // limited by something that writes no headers
	latency time.Duration

	mu      sync.Mutex
	taken   []time.Time
	order   []string // method and path of what was taken
	refused int
	busy    int
	busiest int
}

// rule allows limit requests in any window.
type rule struct {
	limit  int
	window time.Duration
}

var defaultRules = []rule{{200, time.Minute}, {2000, time.Hour}}

func (s *limitedServer) RoundTrip(req *http.Request) (*http.Response, error) {
	select {
	case <-time.After(s.latency / 2):
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	answer := s.take(req)
	pass(s.latency / 2)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	return answer, nil
}

func (s *limitedServer) take(req *http.Request) *http.Response {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy++
	s.busiest = max(s.busiest, s.busy)
	now := time.Now()
	for _, r := range s.rules {
		if len(s.taken) < r.limit {
			continue
		}
		if wait := s.taken[len(s.taken)-r.limit].Add(r.window).Sub(now); wait >= 0 {
			s.refused++
			return s.refuse(now, wait)
		}
	}
	s.taken = append(s.taken, now)
	s.order = append(s.order, req.Method+" "+strings.TrimPrefix(req.URL.Path, apiRoot))
	h := http.Header{}
	if len(s.rules) > 0 {
		longest := s.rules[len(s.rules)-1]
		used := 0
		for _, at := range s.taken {
			if now.Sub(at) < longest.window {
				used++
			}
		}
		s.head(h, now, longest.limit-used, longest.window)
	}
	return answerOf(http.StatusOK, h, ok)
}

func (s *limitedServer) refuse(now time.Time, wait time.Duration) *http.Response {
	h := http.Header{}
	s.head(h, now, 0, wait)
	seconds := strconv.FormatFloat(wait.Seconds(), 'f', -1, 64)
	h.Set("Retry-After", seconds)
	return answerOf(http.StatusTooManyRequests, h, `{"result":"error","msg":"API usage exceeded rate limit","code":"RATE_LIMIT_HIT","retry-after":`+seconds+`}`)
}

func (s *limitedServer) head(h http.Header, now time.Time, remaining int, reset time.Duration) {
	if s.silent {
		return
	}
	h.Set("Date", now.UTC().Format(http.TimeFormat))
	h.Set("X-RateLimit-Limit", strconv.Itoa(s.rules[len(s.rules)-1].limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(remaining))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(now.Add(reset).Unix(), 10))
}

func answerOf(status int, h http.Header, body string) *http.Response {
	h.Set("Content-Type", "application/json")
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

// use has the account make requests before, or beside, the client.
func (s *limitedServer) use(n int, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = append(s.taken, slices.Repeat([]time.Time{at}, n)...)
	slices.SortFunc(s.taken, time.Time.Compare)
}

// process returns a client as another process would have it: with a rate limiter of its own.
func (s *limitedServer) process(t *testing.T) *Client {
	t.Helper()
	c, err := New(Config{Site: "https://chat.example.com", Email: testEmail, APIKey: testKey, Transport: s})
	if err != nil {
		t.Fatal(err)
	}
	c.limiter = newRequestLimiter(0)
	return c
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

// pass lets time pass, which is that of the test's own bubble.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // nobody waits for it
}
