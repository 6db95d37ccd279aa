package zulip

import (
	"testing"
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
			w := newWire(t, answer)
			began := w.clock.now()
			if err := w.client.DeleteQueue(w.ctx, "1:1"); err == nil {
				t.Error("no error")
			}
			w.expectSent(t, 1)
			if waited := w.clock.now().Sub(began); waited > 0 {
				t.Errorf("waited %s", waited)
			}
		})
	}
}

func TestQueueThatIsNotClosedInTimeIsLeft(t *testing.T) {
	w := newWire(t, silent)
	began := time.Now()
	if err := w.client.DeleteQueue(w.ctx, "1:1"); err == nil {
		t.Error("no error")
	}
	w.expectSent(t, 1)
	if waited := time.Since(began); waited > w.client.timeout/2 {
		t.Errorf("waited %s", waited)
	}
}
