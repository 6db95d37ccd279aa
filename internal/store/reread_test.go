package store

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// pass lets time pass, which is that of the test's own bubble.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // nobody waits for it
}

// cli is how a CLI works: so many resources at once, and a pause of its own between one and the next.
type cli struct {
	atOnce int
	pause  time.Duration
	write  time.Duration // of one resource
	read   time.Duration // of all
	before bool          // read before the write too, as an update does
	scarce bool          // the server takes few requests
	kinds  int           // of resources, each read by itself; zero is one
}

// run works through n resources and returns how often all were read, and how long it took.
func (c cli) run(t *testing.T, n int) (reads int, took time.Duration) {
	t.Helper()
	d := New(nil, &zulip.User{}, 0, new(runstate.State))
	d.scarce = func() bool { return c.scarce }
	var count atomic.Int64
	read := func(context.Context) (put, error) {
		count.Add(1)
		pass(c.read)
		return func(*snapshot.Facts) {}, nil
	}
	fresh := func(kind int) {
		if _, err := d.fresh(t.Context(), Part("part"+string(rune('a'+kind))), read); err != nil {
			t.Error(err)
		}
	}
	started := time.Now()
	places, between := make(chan struct{}, c.atOnce), make(chan struct{}, 1)
	var all sync.WaitGroup
	for i := range n {
		kind := i % max(c.kinds, 1)
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			between <- struct{}{}
			pass(c.pause)
			<-between
			if c.before {
				fresh(kind)
			}
			_ = d.Write(t.Context(), func(context.Context) error { pass(c.write); return nil })
			fresh(kind)
		})
	}
	all.Wait()
	return int(count.Load()), time.Since(started)
}

// TestRereadsAreShared: whatever the pace of the CLI and of the server, those who are at work at the same time share what
// follows their writes, and a single one does not wait for company that does not come.
func TestRereadsAreShared(t *testing.T) {
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
		"four kinds":                 {cli{atOnce: 10, pause: 5 * ms, write: 5 * ms, read: 20 * ms, kinds: 4}, 500, 230, 8 * time.Second},
		"four kinds, slowly":         {cli{atOnce: 10, pause: 40 * ms, write: 5 * ms, read: 20 * ms, kinds: 4}, 500, 230, 28 * time.Second},
		"a server far away":          {cli{atOnce: 10, pause: 5 * ms, write: 80 * ms, read: 150 * ms}, 500, 65, 18 * time.Second},
		"updates":                    {cli{atOnce: 10, pause: 5 * ms, write: 20 * ms, read: 20 * ms, before: true}, 500, 120, 10 * time.Second},
		"four at once":               {cli{atOnce: 4, pause: 5 * ms, write: 5 * ms, read: 20 * ms}, 200, 60, 4 * time.Second},
		"one at a time":              {cli{atOnce: 1, pause: 5 * ms, write: 5 * ms, read: 20 * ms}, 50, 50, 2 * time.Second},
		"one update, and that is it": {cli{atOnce: 1, write: 5 * ms, read: 20 * ms, before: true}, 1, 2, 60 * ms},
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

func TestMoreShareWhereRequestsAreScarce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// A busy machine: the CLI takes its time between one resource and the next.
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

// slowServer answers everything as an account, and counts.
type slowServer struct{ asked int }

func (s *slowServer) RoundTrip(*http.Request) (*http.Response, error) {
	s.asked++
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"result":"success","msg":"","user_id":7}`))}, nil
}

func TestWhoComesBeforeTheRequestLeavesSharesIt(t *testing.T) {
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
		d := New(client, &zulip.User{}, 0, new(runstate.State))
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				_, err := d.fresh(t.Context(), "part", func(ctx context.Context) (put, error) {
					_, err := client.Me(ctx)
					return func(*snapshot.Facts) {}, err
				})
				if err != nil {
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
