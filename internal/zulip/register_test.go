package zulip

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Closing an event queue is a courtesy: the server drops it by itself (server-behavior §R24). Nobody waits for it.
func TestQueueIsClosedWithOneRequest(t *testing.T) {
	for name, answer := range map[string]answers{
		"unavailable": refusal(503, "BAD_REQUEST", "Service Unavailable"),
		"bad gateway": always(502, "text/html", "<html><title>Bad Gateway</title></html>"),
		"rate limit":  limited("58.24", "58.24"),
		"dropped":     dropped,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(t, answer)
				began := time.Now()
				if err := w.client.DeleteQueue(w.ctx, "1:1"); err == nil {
					t.Error("no error")
				}
				w.expectSent(t, 1)
				if waited := time.Since(began); waited > 0 {
					t.Errorf("waited %s", waited)
				}
			})
		})
	}
}

func TestQueueThatIsNotClosedInTimeIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, silent)
		began := time.Now()
		if err := w.client.DeleteQueue(w.ctx, "1:1"); err == nil {
			t.Error("no error")
		}
		w.expectSent(t, 1)
		if waited := time.Since(began); waited > w.client.timeout/2 {
			t.Errorf("waited %s", waited)
		}
	})
}

// manyPeople answers with a snapshot of so many people, of some 650 bytes each, as a server sends them.
func manyPeople(count int) answers {
	return func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"result":"success","msg":"","queue_id":"1:1","realm_users":[`)
		row := strings.Repeat(" ", 600) + `{"user_id":%d,"email":"user%d@example.com","role":400}`
		for i := range count {
			if i > 0 {
				fmt.Fprint(w, ",")
			}
			fmt.Fprintf(w, row, i, i)
		}
		fmt.Fprint(w, `]}`)
	}
}

// An organization of 90,000 people is read.
func TestSnapshotOfALargeOrganization(t *testing.T) {
	const people = 90_000
	w := newWire(t, manyPeople(people), func(cfg *Config) { cfg.RequestTimeout = 2 * time.Minute })
	snapshot, err := w.client.Register(w.ctx, []string{FetchUsers})
	if err != nil {
		t.Fatal(err)
	}
	if len(snapshot.Users) != people {
		t.Errorf("%d people", len(snapshot.Users))
	}
}

// An answer without end is not read to its end, and the error says what to do.
func TestSnapshotThatIsTooLarge(t *testing.T) {
	w := newWire(t, manyPeople(3000))
	w.client.maxStreamed = 1 << 20
	_, err := w.client.Register(w.ctx, []string{FetchUsers})
	if err == nil || !strings.Contains(err.Error(), "larger than 1 MB") || !strings.Contains(err.Error(), "report it") {
		t.Errorf("the error is %v", err)
	}
	w.expectSent(t, 1)
}
