package zulip

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestRateLimit_RetryAfter_WaitedExactly(t *testing.T) {
	for name, test := range map[string]struct {
		answer answers
		want   time.Duration
	}{
		"as recorded": {limited("58.24295520782471", "58.24295520782471"), 58_242_955_208},
		"body only":   {limited("", "1.5"), 1500 * time.Millisecond},
		"header only": {limited("28.7", "null"), 28_700 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, began := newWire(t, first(test.answer, json200(ok))), time.Now()
				requireNoError(t, w.create())
				if total := time.Since(began); total < test.want || total > test.want+refusalJitter {
					t.Errorf("waited %v, want %v", total, test.want)
				}
				logged := strings.Count(w.log.String(), `"@level":"info"`)
				if want := map[bool]int{true: 1}[test.want > maxUnloggedWait]; logged != want {
					t.Errorf("%d lines at INFO, want %d: %s", logged, want, w.log)
				}
				w.expectSent(t, 2)
			})
		})
	}
}

func TestRateLimit_NoRetries_NotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, func(n int, rw http.ResponseWriter, r *http.Request) {
			if n <= 20 {
				limited("1", "1")(n, rw, r)
				return
			}
			reply(rw, 200, "application/json", ok)
		}, func(c *Config) { c.MaxRetries = -1 })
		requireNoError(t, w.create())
		w.expectSent(t, 21)
	})
}

func TestRateLimit_WaitTooLong_Error(t *testing.T) {
	t.Run("in one go", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w, began := newWire(t, limited("3500", "3500")), time.Now()
			err := w.read()
			if !IsRateLimited(err) || MayHaveHappened(err) || !strings.Contains(err.Error(), "another 58m20s") || !strings.Contains(err.Error(), "requests_per_minute") {
				t.Errorf("got %v", err)
			}
			if total := time.Since(began); total != 0 {
				t.Errorf("waited %v for nothing", total)
			}
			w.expectSent(t, 1)
		})
	})
	t.Run("in all", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWire(t, limited("60", "60"))
			if err := w.read(); !IsRateLimited(err) {
				t.Errorf("got %v", err)
			}
			w.expectSent(t, 16)
		})
	})
}

// After a refusal no request is sent before its time. Then one is sent alone, and more after the server accepted some.
func TestRateLimit_ParallelRequests_AllDelayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inFlight, busiest := 0, 0
		var mu sync.Mutex
		began := time.Now()
		w := newWire(t, func(n int, rw http.ResponseWriter, r *http.Request) {
			mu.Lock()
			inFlight++
			busiest = max(busiest, inFlight)
			mu.Unlock()
			pass(100 * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			inFlight--
			switch {
			case n <= maxInFlight: // in flight together
				limited("30", "30")(n, rw, r)
			case n <= maxInFlight+3: // sent alone, and refused again
				if busiest > 1 {
					t.Errorf("%d at once after a refusal", busiest)
				}
				limited("1", "1")(n, rw, r)
			default:
				reply(rw, 200, "application/json", ok)
			}
			if n == maxInFlight {
				busiest = 0
			}
			if since := time.Since(began); n > maxInFlight && since < 30*time.Second {
				t.Errorf("sent after %v", since)
			}
		})
		var all sync.WaitGroup
		for range 60 {
			all.Go(func() {
				if err := w.read(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if busiest != maxInFlight {
			t.Errorf("%d at once after many were accepted", busiest)
		}
		if waited := w.client.Waited(); waited < 33*time.Second || waited > 36*time.Second {
			t.Errorf("waited %v", waited)
		}
		w.expectSent(t, 60+maxInFlight+3)
	})
}

func TestRequestsPerMinute(t *testing.T) {
	for _, perMinute := range []int{1, 2, 9, 60, 200} {
		t.Run(fmt.Sprint(perMinute), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(t, json200(ok), func(c *Config) { c.RequestsPerMinute = perMinute })
				var left []time.Time
				for range 3*perMinute + 1 {
					places, err := w.client.limiter.acquire(w.ctx, false, false)
					requireNoError(t, err)
					w.client.limiter.release(places)
					left = append(left, time.Now())
				}
				for i := range len(left) - perMinute {
					// Rounding of the limiter is worth some nanoseconds.
					if span := left[i+perMinute].Sub(left[i]); span < time.Minute-time.Microsecond {
						t.Fatalf("%d requests in %v", perMinute+1, span)
					}
				}
				if took := left[len(left)-1].Sub(left[0]); took > 4*time.Minute {
					t.Errorf("%d requests took %v", len(left), took)
				}
				if slow := perMinute < 30; slow != strings.Contains(w.log.String(), "requests_per_minute") {
					t.Errorf("logged: %s", w.log)
				}
			})
		})
	}
}

// interrupted calls the server in a change that is interrupted during the first call. The server answers after this delay,
// or never.
func interrupted(t *testing.T, answers time.Duration, calls func(context.Context, *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		server := roundTripper(func(req *http.Request) (*http.Response, error) {
			sent++
			if sent > 1 || answers == 0 {
				return answerOf(http.StatusOK, http.Header{}, ok), nil
			}
			select {
			case <-time.After(answers):
				return answerOf(http.StatusOK, http.Header{}, ok), nil
			case <-req.Context().Done():
				return nil, req.Context().Err()
			}
		})
		client, err := New(Config{Site: "https://chat.example.com", Email: testEmail, APIKey: testKey, Transport: server})
		requireNoError(t, err)
		client.limiter = newRequestLimiter(0)
		ctx, change := NewChange(t.Context())
		defer change.End()
		time.AfterFunc(time.Second, change.Interrupt)
		calls(ctx, client)
	})
}

func ask(ctx context.Context, c *Client, method string) error {
	_, err := c.send(ctx, method, "/thing", nil, neverRetry, nil)
	return err
}

func TestInterruptedChange_RequestSent_Finished(t *testing.T) {
	interrupted(t, 5*time.Second, func(ctx context.Context, c *Client) {
		for _, method := range []string{http.MethodPost, http.MethodPatch, http.MethodGet} {
			if err := ask(ctx, c, method); err != nil {
				t.Error(err)
			}
		}
		pass(timeToWrite)
		if err := ask(ctx, c, http.MethodPatch); !errors.Is(err, ErrInterrupted) || MayHaveHappened(err) {
			t.Errorf("a write after the time for writes: %v", err)
		}
		if err := ask(ctx, c, http.MethodGet); err != nil {
			t.Error(err)
		}
		pass(timeToRead)
		if err := ask(ctx, c, http.MethodGet); !errors.Is(err, ErrInterrupted) {
			t.Errorf("a read after the time for reads: %v", err)
		}
	})
}

func TestInterruptedChange_AnswerLost_ReadAllowed(t *testing.T) {
	interrupted(t, time.Minute, func(ctx context.Context, c *Client) {
		began := time.Now()
		if err := ask(ctx, c, http.MethodPost); !errors.Is(err, ErrInterrupted) || !MayHaveHappened(err) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != time.Second+timeToWrite {
			t.Errorf("waited %v for the answer", took)
		}
		if err := Sleep(ctx, FirstPause); err != nil {
			t.Error(err)
		}
		if err := ask(ctx, c, http.MethodGet); err != nil {
			t.Errorf("to look after it: %v", err)
		}
		if !IsInterrupted(ctx) {
			t.Error("it was interrupted")
		}
	})
}

func TestInterruptedChange_NewWrite_Refused(t *testing.T) {
	interrupted(t, 0, func(ctx context.Context, c *Client) {
		if err := ask(ctx, c, http.MethodGet); err != nil {
			t.Error(err)
		}
		pass(2 * time.Second)
		if err := ask(ctx, c, http.MethodPost); !errors.Is(err, ErrInterrupted) || MayHaveHappened(err) {
			t.Errorf("got %v", err)
		}
	})
}

// A change that waits for the rate limit has changed nothing, so an interruption ends the wait.
func TestInterruptedChange_RateLimited_Canceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &limitedServer{rules: []rule{{1, time.Hour}}}
		server.use(1, time.Now())
		ctx, change := NewChange(t.Context())
		defer change.End()
		time.AfterFunc(time.Minute, change.Interrupt)
		c := server.process(t)
		c.hasWritten.Store(true)
		began := time.Now()
		if err := ask(ctx, c, http.MethodPost); !errors.Is(err, ErrInterrupted) || MayHaveHappened(err) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != time.Minute {
			t.Errorf("waited %v", took)
		}
	})
}

// Several changes can be written by one request: each of them waits for it.
func TestInterruptedChange_SharedWrite_Finished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, change := NewChange(t.Context())
		defer change.End()
		time.AfterFunc(time.Second, change.Interrupt)
		err := Write(ctx, func(ctx context.Context) error { return Sleep(ctx, 5*time.Second) })
		if err != nil || ctx.Err() != nil {
			t.Errorf("got %v, %v", err, ctx.Err())
		}
		refusal := &Error{Status: http.StatusBadRequest}
		if err = Write(ctx, func(context.Context) error { return refusal }); !errors.Is(err, refusal) || ctx.Err() != nil {
			t.Errorf("what was written first is still to be read: %v, %v", err, ctx.Err())
		}
	})
}

// limitedServer limits one account as a server does (server-behavior §R17). It counts accepted requests and checks the
// rules from the shortest to the longest. Its headers describe the longest. It does not use the client's own counting.
type limitedServer struct {
	rules   []rule // ascending windows; none: no limit and no headers
	silent  bool   // limited by something that writes no headers
	latency time.Duration

	mu      sync.Mutex
	taken   []time.Time
	order   []string // method and path of accepted requests
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

// use sends requests of the account outside the client.
func (s *limitedServer) use(n int, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = append(s.taken, slices.Repeat([]time.Time{at}, n)...)
	slices.SortFunc(s.taken, time.Time.Compare)
}

// process returns a client with a rate limiter of its own, like another process.
func (s *limitedServer) process(t *testing.T) *Client {
	t.Helper()
	c, err := New(Config{Site: "https://chat.example.com", Email: testEmail, APIKey: testKey, Transport: s})
	requireNoError(t, err)
	c.limiter = newRequestLimiter(0)
	return c
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

// pass advances the time of the test's bubble.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // no goroutine waits for it
}
