package zulip

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
)

// apply creates n channels like Terraform: ten in parallel, each a create and then a read. Simultaneous reads share one
// request.
func apply(ctx context.Context, t *testing.T, c *Client, n int) time.Duration {
	t.Helper()
	took, _ := applyTimed(ctx, t, c, n)
	return took
}

// applyTimed is apply, and also returns the duration of the slowest call.
func applyTimed(ctx context.Context, t *testing.T, c *Client, n int) (took, slowest time.Duration) {
	t.Helper()
	const parallelism, sharing = 10, 10
	began := time.Now()
	channels := make(chan int, n)
	for i := range n {
		channels <- i
	}
	close(channels)
	var all sync.WaitGroup
	var mu sync.Mutex
	send := func(method, path string) {
		began := time.Now()
		if _, err := c.send(ctx, method, path, nil, neverRetry, nil); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		slowest = max(slowest, time.Since(began))
	}
	for range parallelism {
		all.Go(func() {
			for i := range channels {
				send(http.MethodPost, "/channels/create")
				if i%sharing == 0 {
					send(http.MethodGet, "/streams")
				}
			}
		})
	}
	all.Wait()
	return time.Since(began), slowest
}

// leastTime is how long n requests take under the rules, with an unused limit.
func leastTime(n int, rules []rule) (least time.Duration) {
	for _, r := range slices.Backward(rules) {
		least += time.Duration((n-1)/r.limit) * r.window
		n -= (n - 1) / r.limit * r.limit
	}
	return least
}

// expectFewRefused fails the test if more than this percentage of requests was refused, or any without a limit.
func expectFewRefused(t *testing.T, server *limitedServer, percent int) {
	t.Helper()
	if most := len(server.order) * percent / 100; server.refused > most || len(server.rules) == 0 && server.refused > 0 {
		t.Errorf("%d of %d refused, want at most %d", server.refused, len(server.order), most)
	}
}

func TestApplyUnderLimits(t *testing.T) {
	for name, test := range map[string]struct {
		server   *limitedServer
		channels int
	}{
		"default":           {&limitedServer{rules: defaultRules, latency: 30 * time.Millisecond}, 500},
		"slow":              {&limitedServer{rules: defaultRules, latency: 600 * time.Millisecond}, 500},
		"as good as no one": {&limitedServer{rules: defaultRules, latency: time.Microsecond}, 500},
		"beyond the hour":   {&limitedServer{rules: defaultRules, latency: 30 * time.Millisecond}, 3000},
		"1,000 a minute":    {&limitedServer{rules: []rule{{1000, time.Minute}, {20_000, time.Hour}}, latency: 10 * time.Millisecond}, 2000},
		"100 a minute":      {&limitedServer{rules: []rule{{100, time.Minute}, {2000, time.Hour}}, latency: 30 * time.Millisecond}, 300},
		"one rule only":     {&limitedServer{rules: []rule{{300, time.Minute}}, latency: 30 * time.Millisecond}, 600},
		"no headers":        {&limitedServer{rules: defaultRules, silent: true, latency: 30 * time.Millisecond}, 500},
		"no limit":          {&limitedServer{latency: 30 * time.Millisecond}, 2000},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, few := test.server, 5
				if len(server.rules) > 0 && server.rules[0].limit < 200 { // each refusal has this many requests in flight
					few = 10
				}
				took := apply(t.Context(), t, server.process(t), test.channels)
				requests := len(server.order)
				least := leastTime(requests, server.rules) + time.Duration(requests)*server.latency/maxInFlight/10
				t.Logf("%d channels: %d requests, %d refused, %v of at least %v, %d at once", test.channels, requests, server.refused, took.Round(time.Millisecond), least, server.busiest)
				expectFewRefused(t, server, few)
				if limit := least + least/10 + time.Duration(requests)*server.latency/4; took > limit {
					t.Errorf("took %v, want at most %v", took, limit)
				}
				if server.busiest > maxInFlight {
					t.Errorf("%d at once", server.busiest)
				}
			})
		})
	}
}

func TestApplyPermissionAfterAnother(t *testing.T) {
	for _, before := range []int{6, 150, 199, 200, 500} {
		t.Run(fmt.Sprint(before), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &limitedServer{rules: defaultRules, latency: 30 * time.Millisecond}
				began := time.Now()
				pass(30 * time.Second)
				// Earlier requests are spread, and requests beyond 200 are older.
				for i := range before {
					server.use(1, began.Add(-time.Hour/2+time.Hour/2*time.Duration(max(0, i-before+200))/200+20*time.Second*time.Duration(i)/time.Duration(before)))
				}
				took := apply(t.Context(), t, server.process(t), 300)
				t.Logf("%d before: %d refused, %v", before, server.refused, took.Round(time.Millisecond))
				expectFewRefused(t, server, 5)
				if took > 3*time.Minute {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}

func TestLimits_SeveralProcesses_AccountShared(t *testing.T) {
	for _, processes := range []int{2, 3} {
		t.Run(fmt.Sprint(processes), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &limitedServer{rules: defaultRules, latency: 40 * time.Millisecond}
				var all sync.WaitGroup
				began := time.Now()
				for i := range processes {
					all.Go(func() {
						pass(time.Duration(i) * 7 * time.Second / 4)
						apply(t.Context(), t, server.process(t), 500/processes)
					})
				}
				all.Wait()
				took := time.Since(began)
				t.Logf("%d requests, %d refused, %v", len(server.order), server.refused, took.Round(time.Millisecond))
				expectFewRefused(t, server, 3*processes)
				if took > 140*time.Second {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}

func TestLimits_SmallPlan_NoWait(t *testing.T) {
	for _, before := range []int{0, 100, 190, 1900} {
		synctest.Test(t, func(t *testing.T) {
			server := &limitedServer{rules: defaultRules, latency: 30 * time.Millisecond}
			server.use(before, time.Now().Add(-10*time.Minute))
			c := server.process(t)
			began := time.Now()
			for range 4 {
				if _, err := c.send(t.Context(), http.MethodGet, "/users/me", nil, safeToRetry, nil); err != nil {
					t.Fatal(err)
				}
			}
			if took := time.Since(began); took > 4*server.latency {
				t.Errorf("%d before: took %v", before, took)
			}
		})
	}
}

func TestLimits_Queue_InOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newRequestLimiter(0)
		l.refused(t.Context(), nil, time.Minute) // so that they leave one by one
		var left, want []string
		var all sync.WaitGroup
		for i := range 20 {
			name := fmt.Sprint("request ", i)
			want = append(want, name)
			all.Go(func() {
				places, err := l.acquire(t.Context(), false, false)
				if err != nil {
					t.Error(err)
					return
				}
				left = append(left, name)
				l.release(places)
			})
			synctest.Wait() // it waits in line
		}
		all.Wait()
		if !slices.Equal(left, want) {
			t.Errorf("left as %q", left)
		}
	})
}

func TestLimits_NearLimit_RequestsScarce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := (&limitedServer{rules: defaultRules, latency: 20 * time.Millisecond}).process(t)
		for _, step := range []struct {
			channels int
			later    time.Duration
			want     bool
		}{{100, 0, false}, {100, 0, true}, {0, time.Minute, false}} {
			apply(t.Context(), t, c, step.channels)
			pass(step.later)
			if got := c.Scarce(); got != step.want {
				t.Errorf("after %d more channels and %v: %v", step.channels, step.later, got)
			}
		}
	})
}

func TestLimits_ReadQueued_StartReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &limitedServer{rules: defaultRules, latency: 20 * time.Millisecond}
		c := server.process(t)
		c.limiter.notBefore = time.Now().Add(time.Minute)
		began := time.Now()
		var told []time.Duration
		ctx := WhenSent(t.Context(), func() { told = append(told, time.Since(began)) })
		if _, err := c.send(ctx, http.MethodGet, "/streams", nil, safeToRetry, nil); err != nil {
			t.Fatal(err)
		}
		if len(told) != 1 || told[0] != time.Minute {
			t.Errorf("told at %v", told)
		}
	})
}

func TestLimits_ContextEnded_Canceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &limitedServer{rules: defaultRules, latency: 20 * time.Millisecond}
		c := server.process(t)
		apply(t.Context(), t, c, 170)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		for range 50 {
			go func() {
				_, err := c.send(ctx, http.MethodPost, "/channels/create", nil, neverRetry, nil)
				ended <- err
			}()
		}
		pass(20 * time.Second)
		began := time.Now()
		cancel()
		gaveUp := 0
		for range 50 {
			switch err := <-ended; {
			case errors.Is(err, context.Canceled) && !MayHaveHappened(err):
				gaveUp++
			case err != nil:
				t.Error(err)
			}
		}
		if took := time.Since(began); took != 0 || gaveUp == 0 {
			t.Errorf("%d gave up, in %v", gaveUp, took)
		}
	})
}

func TestLimits_OneAction_OthersNotDelayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &limitedServer{rules: defaultRules}
		c := server.process(t)
		if _, err := c.send(t.Context(), http.MethodGet, "/users/me", nil, safeToRetry, nil); err != nil {
			t.Fatal(err)
		}
		addresses := &limitedServer{rules: []rule{{2, 10 * time.Minute}}} // for email changes
		c.http.Transport = roundTripper(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == apiRoot+"/settings" {
				return addresses.RoundTrip(req)
			}
			return server.RoundTrip(req)
		})
		began := time.Now()
		done := make(chan error)
		go func() {
			var err error
			for range 3 {
				_, failed := c.send(t.Context(), http.MethodPatch, "/settings", nil, safeToRetry, nil)
				err = errors.Join(err, failed)
			}
			done <- err
		}()
		synctest.Wait()
		apply(t.Context(), t, c, 100)
		if took := time.Since(began); took > time.Second {
			t.Errorf("the others took %v", took)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		if took := time.Since(began); math.Abs(took.Minutes()-10) > 0.1 {
			t.Errorf("the limited action took %v", took)
		}
	})
}

func TestLimits_ClientsOfAccount_Shared(t *testing.T) {
	client := func(email string, perMinute int) *Client {
		c, err := New(Config{Site: "https://chat.example.com/", Email: email, APIKey: testKey, RequestsPerMinute: perMinute})
		requireNoError(t, err)
		return c
	}
	a := client(testEmail, 0)
	if b := client(testEmail, 0); a.limiter != b.limiter {
		t.Error("the same account has two limiters")
	}
	if b := client("other@rec.example.com", 0); a.limiter == b.limiter {
		t.Error("two accounts share a limiter")
	}
	if b := client(testEmail, 60); a.limiter == b.limiter {
		t.Error("two settings share a limiter")
	}
}

func TestLimits_HourlyLimit_Waited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &limitedServer{rules: defaultRules, latency: 30 * time.Millisecond}
		began := time.Now()
		pass(50 * time.Minute)
		for i := range 10 { // 2,000 in the first ten minutes
			server.use(200, began.Add(time.Duration(i)*time.Minute))
		}
		c := server.process(t)
		log := &lockedBuffer{}
		ctx := tflogtest.RootLogger(t.Context(), log)

		// Even a client that has changed nothing yet waits ten minutes.
		took := apply(ctx, t, c, 500)
		t.Logf("%d refused, %v; %v\n%s", server.refused, took.Round(time.Millisecond), c.Waited(), log)
		expectFewRefused(t, server, 5)
		if least := 12 * time.Minute; took < least || took > least+time.Minute+10*time.Second {
			t.Errorf("took %v, want %v", took, least)
		}
		if waited := c.Waited(); waited < 11*time.Minute {
			t.Errorf("waited %v", waited)
		}
		if !strings.Contains(log.String(), "Requests wait for the server's rate limit") {
			t.Errorf("logged %s", log)
		}
	})
}

func TestLimits_HourlyLimitBeforeChange_Error(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &limitedServer{rules: defaultRules}
		server.use(2000, time.Now())
		pass(2 * time.Minute)
		c := server.process(t)
		began := time.Now()
		_, err := c.send(t.Context(), http.MethodGet, "/users/me", nil, safeToRetry, nil)
		if !IsRateLimited(err) || !strings.Contains(err.Error(), "another 58m0s") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// Under a rule with a short window, which has no header, some requests are refused, but no call waits long.
func TestShortWindows(t *testing.T) {
	const channels = 500
	hour := rule{20_000, time.Hour}
	for name, test := range map[string]struct {
		server  *limitedServer
		took    float64       // at most, in multiples of the least time
		slowest time.Duration // call
	}{
		"10 a second":        {&limitedServer{rules: []rule{{10, time.Second}, hour}, latency: 30 * time.Millisecond}, 1.4, 5 * time.Second},
		"near":               {&limitedServer{rules: []rule{{10, time.Second}, hour}, latency: time.Millisecond}, 1.4, 5 * time.Second},
		"far":                {&limitedServer{rules: []rule{{10, time.Second}, hour}, latency: 400 * time.Millisecond}, 3, 10 * time.Second},
		"2 a second":         {&limitedServer{rules: []rule{{2, time.Second}, hour}, latency: 30 * time.Millisecond}, 1.4, 15 * time.Second},
		"100 in 10 seconds":  {&limitedServer{rules: []rule{{100, 10 * time.Second}, hour}, latency: 30 * time.Millisecond}, 1.4, 15 * time.Second},
		"no headers":         {&limitedServer{rules: []rule{{10, time.Second}}, silent: true, latency: 30 * time.Millisecond}, 1.4, 5 * time.Second},
		"beside the default": {&limitedServer{rules: append([]rule{{10, time.Second}}, defaultRules...), latency: 30 * time.Millisecond}, 1.4, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := test.server
				took, slowest := applyTimed(t.Context(), t, server.process(t), channels)
				least := leastTime(len(server.order), server.rules)
				t.Logf("%d requests, %d refused, %v of at least %v, the slowest %v", len(server.order), server.refused, took.Round(time.Millisecond), least, slowest)
				expectFewRefused(t, server, 60)
				if took.Seconds() > least.Seconds()*test.took || slowest > test.slowest {
					t.Errorf("took %v, and the slowest call %v", took, slowest)
				}
			})
		})
	}
}

// A write that follows a fresh read before each attempt succeeds eventually, despite refusals.
func TestShortWindows_UnrepeatedWrites_Succeed(t *testing.T) {
	for _, perSecond := range []int{2, 10} {
		t.Run(fmt.Sprint(perSecond), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &limitedServer{rules: []rule{{perSecond, time.Second}, {20_000, time.Hour}}, latency: 30 * time.Millisecond}
				c := server.process(t)
				var all sync.WaitGroup
				var mu sync.Mutex
				var slowest time.Duration
				began := time.Now()
				for range 10 {
					all.Go(func() {
						for range 20 {
							began := time.Now()
							err := c.Retry(t.Context(), func(ctx context.Context) error {
								if _, err := c.send(ctx, http.MethodGet, "/streams", nil, safeToRetry, nil); err != nil {
									return err
								}
								_, err := c.send(ctx, http.MethodPatch, "/streams/1", nil, sendOnce, nil)
								return err
							})
							if err != nil {
								t.Error(err)
							}
							mu.Lock()
							slowest = max(slowest, time.Since(began))
							mu.Unlock()
						}
					})
				}
				all.Wait()
				least := leastTime(400, server.rules)
				took := time.Since(began)
				t.Logf("%d requests, %d refused, %v of at least %v, the slowest %v", len(server.order), server.refused, took, least, slowest)
				if took > least*3/2 || slowest > 40*time.Second {
					t.Errorf("took %v, and the slowest %v", took, slowest)
				}
			})
		})
	}
}
