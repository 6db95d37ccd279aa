package zulip

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
)

func TestHourIsUsedUp(t *testing.T) {
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

		// Ten minutes are waited for, even by who has changed nothing yet.
		took := apply(ctx, t, c, 500)
		t.Logf("%d refused, %v; %+v\n%s", server.refused, took.Round(time.Millisecond), c.Waited(), log)
		expectFewRefused(t, server, 5)
		if least := 12 * time.Minute; took < least || took > least+time.Minute+10*time.Second {
			t.Errorf("took %v, want %v", took, least)
		}
		if waited := c.Waited(); waited.Time < 11*time.Minute {
			t.Errorf("waited %+v", waited)
		}
		if !strings.Contains(log.String(), "Requests wait for the server's rate limit") || !strings.Contains(log.String(), `"limit":"2000 requests","`) {
			t.Errorf("logged %s", log)
		}
	})
}

func TestHourIsNotWaitedForBeforeAnythingIsChanged(t *testing.T) {
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

// Under a rule of a short window, of which no header speaks, requests leave one after the other.
func TestShortWindows(t *testing.T) {
	const channels = 500
	hour := rule{20_000, time.Hour}
	for name, test := range map[string]struct {
		server   *limitedServer
		channels int
		more     time.Duration // at most this part of the least time
	}{
		"10 a second":          {&limitedServer{rules: []rule{{10, time.Second}, hour}, latency: 30 * time.Millisecond}, channels, 10},
		"near":                 {&limitedServer{rules: []rule{{10, time.Second}, hour}, latency: time.Millisecond}, channels, 10},
		"slow":                 {&limitedServer{rules: []rule{{10, time.Second}, hour}, latency: 400 * time.Millisecond}, channels, 10},
		"slow to create":       {&limitedServer{rules: []rule{{10, time.Second}, hour}, latency: 10 * time.Millisecond, work: 120 * time.Millisecond}, channels, 10},
		"5 a second":           {&limitedServer{rules: []rule{{5, time.Second}, hour}, latency: 30 * time.Millisecond}, channels, 10},
		"20 in 5 seconds":      {&limitedServer{rules: []rule{{20, 5 * time.Second}, hour}, latency: 30 * time.Millisecond}, channels, 10},
		"100 in 10 seconds":    {&limitedServer{rules: []rule{{100, 10 * time.Second}, hour}, latency: 30 * time.Millisecond}, channels, 10},
		"no headers":           {&limitedServer{rules: []rule{{10, time.Second}}, silent: true, latency: 30 * time.Millisecond}, channels, 10},
		"beside the default":   {&limitedServer{rules: append([]rule{{10, time.Second}}, defaultRules...), latency: 30 * time.Millisecond}, channels, 10},
		"beyond trust":         {&limitedServer{rules: []rule{{10, time.Second}, hour}, latency: 30 * time.Millisecond}, 3500, 10},
		"less than the minute": {&limitedServer{rules: []rule{{2, time.Second}, hour}, latency: 30 * time.Millisecond}, channels, 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := test.server
				took := apply(t.Context(), t, server.process(t), test.channels)
				least := leastTime(len(server.order), server.rules)
				t.Logf("%d requests, %d refused, %v of at least %v", len(server.order), server.refused, took.Round(time.Millisecond), least)
				expectFewRefused(t, server, 5)
				// An answer is as late as the server is far: that comes on top of each window.
				windows := time.Duration(len(server.order)/server.rules[0].limit + 1)
				if limit := least + least/test.more + windows*server.latency + 20*time.Second; took > limit {
					t.Errorf("took %v, want at most %v", took, limit)
				}
			})
		})
	}
}

// In steady traffic the wait until a second is over looks like that until a minute is.
func TestShortWindowIsMetLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &limitedServer{rules: []rule{{10, time.Second}, {20_000, time.Hour}}, latency: 30 * time.Millisecond}
		c := server.process(t)
		for range 450 { // in a minute and a half
			pass(200 * time.Millisecond)
			if _, err := c.send(t.Context(), http.MethodGet, "/users/me", nil, safeToRetry, nil); err != nil {
				t.Fatal(err)
			}
		}
		took := apply(t.Context(), t, c, 500)
		t.Logf("%d refused, %v", server.refused, took.Round(time.Millisecond))
		expectFewRefused(t, server, 5)
		if took > 80*time.Second {
			t.Errorf("took %v", took)
		}
		if limit := c.Waited().Limit; limit != "" { // nobody says it
			t.Errorf("waited for %q", limit)
		}
	})
}
