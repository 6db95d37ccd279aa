package store

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// pass advances the time of the test's bubble.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // nobody waits for it
}

// requests is a batcher's request that takes some time and is counted.
type requests struct {
	takes time.Duration
	count atomic.Int64
	began []time.Time
}

func (r *requests) ask(_ context.Context, _ []int, sent func()) (struct{}, error) {
	r.count.Add(1)
	r.began = append(r.began, time.Now())
	sent()
	pass(r.takes)
	return struct{}{}, nil
}

func always([]int) time.Duration { return quiet }

// askAt asks at times after now, and returns when all are answered.
func askAt(t *testing.T, b *batcher[int, struct{}], moments ...time.Duration) {
	t.Helper()
	var all sync.WaitGroup
	for i, moment := range moments {
		all.Go(func() {
			pass(moment)
			if _, _, err := b.do(t.Context(), i); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// A request begins one quiet time after the last question.
func TestBatcher_QuietTime_RequestBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, began := &requests{}, time.Now()
		askAt(t, &batcher[int, struct{}]{ask: r.ask, quiet: always}, 0, quiet/2, quiet)
		if r.count.Load() != 1 || r.began[0].Sub(began) != 2*quiet {
			t.Errorf("requests at %v", r.began)
		}
	})
}

// A request does not wait for active callers that won't ask.
func TestBatcher_SequentialCallers_NoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, began := &requests{}, time.Now()
		b := &batcher[int, struct{}]{ask: r.ask, quiet: always, isBusy: func() bool { return true }, oneAtATime: true}
		askAt(t, b, 0, quiet/2)
		if r.count.Load() != 2 || r.began[0] != began || r.began[1].Sub(began) != quiet/2 {
			t.Errorf("requests at %v", r.began)
		}
	})
}

// A request starts once as many callers ask as Terraform has workers, because no other can ask.
func TestBatcher_AllWorkersWaiting_RequestBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, began := &requests{}, time.Now()
		askAt(t, &batcher[int, struct{}]{ask: r.ask, quiet: always, isBusy: func() bool { return true }}, make([]time.Duration, workers)...)
		if r.count.Load() != 1 || r.began[0] != began {
			t.Errorf("%d requests, the first after %v", r.count.Load(), r.began[0].Sub(began))
		}
	})
}

// The wait for endless writes, for new callers, and for an unanswered request is limited.
func TestBatcher_Patience_WaitBounded(t *testing.T) {
	for name, test := range map[string]struct {
		busy    bool
		moments []time.Duration
		takes   time.Duration
		second  time.Duration // when the second request begins
	}{
		"writes":        {true, []time.Duration{0}, 0, 0},
		"who ask":       {false, []time.Duration{0, 90, 180, 270, 360, 450, 540, 630, 720}, 0, 0},
		"a slow answer": {false, []time.Duration{0, 200}, time.Minute, 200*time.Millisecond + patience},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for i := range test.moments {
					test.moments[i] *= time.Millisecond
				}
				r, began := &requests{takes: test.takes}, time.Now()
				askAt(t, &batcher[int, struct{}]{ask: r.ask, quiet: always, isBusy: func() bool { return test.busy }}, test.moments...)
				if first := r.began[0].Sub(began); first > patience {
					t.Errorf("the first request begins after %v", first)
				}
				if test.second > 0 && (len(r.began) != 2 || r.began[1].Sub(began) != test.second) {
					t.Errorf("requests at %v", r.began)
				}
			})
		})
	}
}

// A question during a request joins the next one, which begins when the first has ended.
func TestBatcher_AskedDuringRequest_NextJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, began := &requests{takes: 500 * time.Millisecond}, time.Now()
		ms := time.Millisecond
		askAt(t, &batcher[int, struct{}]{ask: r.ask, quiet: always}, 0, 200*ms, 300*ms, 400*ms)
		if len(r.began) != 2 || r.began[1].Sub(began) < quiet+r.takes {
			t.Errorf("requests at %v", r.began)
		}
	})
}

// A caller that writes and then asks sees its write.
func TestBatcher_ReadAfterWrite_WriteSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var written, reads atomic.Int64
		b := batcher[int, int64]{
			covers: func([]int, int) bool { return true },
			ask: func(_ context.Context, _ []int, sent func()) (int64, error) {
				reads.Add(1)
				pass(5 * time.Millisecond) // for the rate limit
				sent()
				now := written.Load()
				pass(20 * time.Millisecond)
				return now, nil
			},
		}
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				pass(time.Duration(i) * time.Millisecond)
				mine := written.Add(1)
				if seen, _, err := b.do(t.Context(), i); err != nil || seen < mine {
					t.Errorf("wrote %d and saw %d: %v", mine, seen, err)
				}
			})
		}
		all.Wait()
		if n := reads.Load(); n > 11 {
			t.Errorf("%d reads", n)
		}
	})
}

// A failed request fails for all callers that share it, and the next question sends another.
func TestBatcher_RequestFails_AllFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := errors.New("no")
		var reads atomic.Int64
		b := batcher[int, int]{ask: func(_ context.Context, questions []int, _ func()) (int, error) {
			if reads.Add(1) == 1 {
				return 0, failed
			}
			return len(questions), nil
		}}
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() {
				if _, _, err := b.do(t.Context(), i); !errors.Is(err, failed) {
					t.Errorf("got %v", err)
				}
			})
		}
		all.Wait()
		if n, place, err := b.do(t.Context(), 0); err != nil || n != 1 || place != 0 {
			t.Errorf("got %d at %d, %v", n, place, err)
		}
	})
}

// A question joins only a request that asks for its parts. The parts that other questions merely need may have been
// read earlier.
func TestQuestion_CoveredByRequest_Joined(t *testing.T) {
	others := []question{{fresh: []Part{Channels}, needed: []Part{Users}}, {fresh: []Part{Folders}}}
	for _, test := range []struct {
		q    question
		want bool
	}{
		{question{fresh: []Part{Channels}}, true},
		{question{fresh: []Part{Folders, Channels}, needed: []Part{Users}}, true},
		{question{needed: []Part{Channels, Users}}, true},
		{question{fresh: []Part{Users}}, false},
		{question{needed: []Part{Linkifiers}}, false},
	} {
		if got := test.q.isAnsweredBy(others); got != test.want {
			t.Errorf("%v: %v", test.q, got)
		}
	}
}

// The first urgent question for a while does not wait, but the next one waits for others.
func TestBatcher_UrgentAlone_NoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, began := &requests{}, time.Now()
		b := &batcher[int, struct{}]{ask: r.ask, quiet: always, isUrgent: func(int) bool { return true }}
		askAt(t, b, 0, 300*time.Millisecond, 2*patience)
		for i, want := range []time.Duration{0, 300*time.Millisecond + quiet, 2 * patience} {
			if got := r.began[i].Sub(began); got != want {
				t.Errorf("request %d after %v, not %v", i, got, want)
			}
		}
	})
}

// cli simulates Terraform: a number of concurrent resources, and a pause between one and the next.
type cli struct {
	atOnce int
	pause  time.Duration
	write  time.Duration // time of one resource
	read   time.Duration // of all
	before bool          // if true, also read before the write, like an update
	scarce bool          // the server accepts few requests
}

// run applies n resources, and returns the number of reads and the total time.
func (c cli) run(t *testing.T, n int) (reads int, took time.Duration) {
	t.Helper()
	s := New(nil, &zulip.User{}, 0, new(runstate.State))
	s.reads.isScarce = func() bool { return c.scarce }
	var count atomic.Int64
	s.reads.ask = func(_ context.Context, _ []question, sent func()) (failures, error) {
		count.Add(1)
		sent()
		pass(c.read)
		return nil, nil
	}
	fresh := func() {
		if _, err := s.Fresh(t.Context(), Channels); err != nil {
			t.Error(err)
		}
	}
	started := time.Now()
	places, between := make(chan struct{}, c.atOnce), make(chan struct{}, 1)
	var all sync.WaitGroup
	for range n {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			between <- struct{}{}
			pass(c.pause)
			<-between
			if c.before {
				fresh()
			}
			_ = s.Write(t.Context(), func(context.Context) error { pass(c.write); return nil })
			fresh()
		})
	}
	all.Wait()
	return int(count.Load()), time.Since(started)
}

// Concurrent callers share the reads after their writes at any speed of Terraform and the server. A single caller waits
// for others once.
func TestStore_FreshReads_Shared(t *testing.T) {
	const ms = time.Millisecond
	for name, test := range map[string]struct {
		cli   cli
		n     int
		reads int           // at most
		took  time.Duration // at most
	}{
		"a fast CLI":                 {cli{atOnce: 10, pause: 2 * ms, write: 5 * ms, read: 20 * ms}, 500, 60, 4 * time.Second},
		"a CLI that takes its time":  {cli{atOnce: 10, pause: 15 * ms, write: 5 * ms, read: 20 * ms}, 500, 65, 12 * time.Second},
		"a slow CLI":                 {cli{atOnce: 10, pause: 40 * ms, write: 5 * ms, read: 20 * ms}, 500, 80, 28 * time.Second},
		"a busy machine":             {cli{atOnce: 10, pause: 80 * ms, write: 5 * ms, read: 20 * ms}, 500, 75, 46 * time.Second},
		"a server far away":          {cli{atOnce: 10, pause: 5 * ms, write: 80 * ms, read: 150 * ms}, 500, 65, 18 * time.Second},
		"updates":                    {cli{atOnce: 10, pause: 5 * ms, write: 20 * ms, read: 20 * ms, before: true}, 500, 120, 10 * time.Second},
		"four at once":               {cli{atOnce: 4, pause: 5 * ms, write: 5 * ms, read: 20 * ms}, 200, 60, 8 * time.Second},
		"one at a time":              {cli{atOnce: 1, pause: 5 * ms, write: 5 * ms, read: 20 * ms}, 50, 50, 7 * time.Second},
		"one update, and that is it": {cli{atOnce: 1, write: 5 * ms, read: 20 * ms, before: true}, 1, 2, 150 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reads, took := test.cli.run(t, test.n)
				t.Logf("%d reads for %d resources in %s", reads, test.n, took)
				if reads > test.reads || took > test.took {
					t.Errorf("%d reads in %s, want at most %d in %s", reads, took, test.reads, test.took)
				}
			})
		})
	}
}

func TestStore_RequestsScarce_MoreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// On a busy machine, Terraform pauses between one resource and the next.
		busy := cli{atOnce: 10, pause: 100 * time.Millisecond, write: 10 * time.Millisecond, read: 10 * time.Millisecond}
		plenty, _ := busy.run(t, 100)
		busy.scarce = true
		few, took := busy.run(t, 100)
		if few > 15 || few >= plenty {
			t.Errorf("%d reads where requests are scarce, %d where not", few, plenty)
		}
		if took > 20*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// slowServer answers every request with an account, and counts requests.
type slowServer struct{ asked int }

func (s *slowServer) RoundTrip(*http.Request) (*http.Response, error) {
	s.asked++
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"result":"success","msg":"","user_id":7}`))}, nil
}

func TestStore_RequestDelayed_Shared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &slowServer{}
		client, err := zulip.New(zulip.Config{
			Site: "https://slow.example.com", Email: "bot@example.com", APIKey: "secret", Transport: server,
			RequestsPerMinute: 10, // the next leaves after six seconds
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Me(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := New(client, &zulip.User{}, 0, new(runstate.State))
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if _, err := s.Fresh(t.Context(), Folders); err != nil {
					t.Error(err)
				}
			})
			pass(time.Second)
		}
		all.Wait()
		if server.asked != 2 {
			t.Errorf("%d requests, want the first and one that five share", server.asked)
		}
	})
}
