package zulip

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestRateLimitIsWaitedForExactly(t *testing.T) {
	for name, test := range map[string]struct {
		answer answers
		want   time.Duration
	}{
		"as recorded": {limited("58.24295520782471", "58.24295520782471"), 58_242_955_208},
		"body only":   {limited("", "1.5"), 1500 * time.Millisecond},
		"header only": {limited("28.7", "null"), 28_700 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, first(test.answer, json200(ok)))
			if err := w.create(); err != nil {
				t.Fatal(err)
			}
			if total := w.clock.total(); total < test.want || total > test.want+refusalJitter {
				t.Errorf("waited %v, want %v", total, test.want)
			}
			logged := strings.Count(w.log.String(), `"@level":"info"`)
			if want := map[bool]int{true: 1}[test.want > maxUnloggedWait]; logged != want {
				t.Errorf("%d lines at INFO, want %d: %s", logged, want, w.log)
			}
			w.expectSent(t, 2)
		})
	}
}

func TestRateLimitDoesNotCountAsFailure(t *testing.T) {
	w := newWire(t, func(n int, rw http.ResponseWriter, r *http.Request) {
		if n <= 20 {
			limited("1", "1")(n, rw, r)
			return
		}
		reply(rw, 200, "application/json", ok)
	}, func(c *Config) { c.MaxRetries = -1 })
	if err := w.create(); err != nil {
		t.Fatal(err)
	}
	w.expectSent(t, 21)
}

func TestRateLimitIsNotWaitedForForever(t *testing.T) {
	t.Run("in one go", func(t *testing.T) {
		w := newWire(t, limited("3500", "3500"))
		err := w.read()
		if !IsRateLimited(err) || MayHaveHappened(err) || !strings.Contains(err.Error(), "another 58m20s") || !strings.Contains(err.Error(), "requests_per_minute") {
			t.Errorf("got %v", err)
		}
		if total := w.clock.total(); total != 0 {
			t.Errorf("waited %v for nothing", total)
		}
		w.expectSent(t, 1)
	})
	t.Run("in all", func(t *testing.T) {
		w := newWire(t, limited("60", "60"))
		if err := w.read(); !IsRateLimited(err) {
			t.Errorf("got %v", err)
		}
		w.expectSent(t, 16)
	})
}

func TestRateLimitHoldsBackTheWholeClient(t *testing.T) {
	w := newWire(t, first(limited("30", "30"), json200(ok)))
	if err := w.read(); err != nil {
		t.Fatal(err)
	}
	w.client.limiter.server.notBefore = w.clock.now().Add(40 * time.Second)
	before := w.clock.now()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := w.read(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if waited := w.clock.now().Sub(before); waited < 40*time.Second {
		t.Errorf("waited %v", waited)
	}
	w.expectSent(t, 22)
}

func TestRequestsPerMinute(t *testing.T) {
	for _, perMinute := range []int{1, 2, 9, 60, 200} {
		t.Run(fmt.Sprint(perMinute), func(t *testing.T) {
			w := newWire(t, json200(ok), func(c *Config) { c.RequestsPerMinute = perMinute })
			var left []time.Time
			for range 3*perMinute + 1 {
				if err := w.client.limiter.acquire(w.ctx, false); err != nil {
					t.Fatal(err)
				}
				w.client.limiter.releaseCounted(nil)
				left = append(left, w.clock.now())
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
	}
}
