package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// newQueue registers for some types of events, all if there are none, and returns the queue's ID.
func newQueue(t *testing.T, s *Server, as string, params map[string]any) string {
	t.Helper()
	params["fetch_event_types"] = []string{}
	return must(t, s, as, "POST", "/register", params).body["queue_id"].(string)
}

// polled asks for the events of a queue after one of them, without waiting.
func polled(t *testing.T, s *Server, as, queue string, last int) []any {
	t.Helper()
	return must(t, s, as, "GET", "/events", map[string]any{"queue_id": queue, "last_event_id": last, "dont_block": true}).body["events"].([]any)
}

func TestEventsAreTheMessagesReceived(t *testing.T) {
	s := start(t, Config{})
	sent(t, s, "member", toGeneral("before", "not in the queue"))
	plain := newQueue(t, s, "owner", map[string]any{"event_types": []string{"message"}})
	rendered := newQueue(t, s, "owner", map[string]any{
		"apply_markdown": true, "client_capabilities": map[string]bool{"notification_settings_null": true, "empty_topic_name": true},
	})
	other := newQueue(t, s, "owner", map[string]any{"event_types": []string{"reaction"}})
	owner, _ := s.Credentials("owner")
	first := sent(t, s, "member", toGeneral("", "**all** @**Olga Owner**"))
	direct := sent(t, s, "member", map[string]any{"type": "direct", "to": []int{owner.ID}, "content": "Hello"})
	createdChannel(t, s, "member", "elsewhere")
	must(t, s, "member", "POST", "/users/me/subscriptions", map[string]any{"subscriptions": []any{map[string]any{"name": "elsewhere"}}})
	sent(t, s, "member", map[string]any{"type": "channel", "to": "elsewhere", "topic": "t", "content": "which the owner does not receive"})

	events := polled(t, s, "owner", plain, -1)
	if len(events) != 2 {
		t.Fatalf("the events are %v", events)
	}
	for i, want := range []struct {
		message              int
		kind, topic, content string
	}{{first, "stream", "general chat", "**all** @**Olga Owner**"}, {direct, "private", "", "Hello"}} {
		event := events[i].(map[string]any)
		message := event["message"].(map[string]any)
		_, inside := message["flags"]
		if event["type"] != "message" || event["id"] != float64(i) || message["id"] != float64(want.message) || message["type"] != want.kind ||
			message["subject"] != want.topic || message["content"] != want.content || event["flags"] == nil || inside {
			t.Errorf("event %d is %v", i, event)
		}
	}
	if message := polled(t, s, "owner", rendered, -1)[0].(map[string]any)["message"].(map[string]any); message["subject"] != "" ||
		message["content_type"] != "text/html" || !strings.HasPrefix(message["content"].(string), "<p>") {
		t.Errorf("rendered: %v", message)
	}
	if events := polled(t, s, "owner", other, -1); len(events) != 0 {
		t.Errorf("who wants no messages gets %v", events)
	}

	// What was confirmed is gone.
	if events := polled(t, s, "owner", plain, 0); len(events) != 1 || events[0].(map[string]any)["id"] != 1.0 {
		t.Errorf("after the first: %v", events)
	}
	for _, c := range []struct {
		as     string
		params map[string]any
		code   string
		msg    string
	}{
		{"owner", map[string]any{"queue_id": plain, "last_event_id": -1}, "BAD_REQUEST", "An event newer than -1 has already been pruned!"},
		{"owner", map[string]any{"queue_id": plain, "last_event_id": 77}, "BAD_REQUEST", "Event 77 was not in this queue"},
		{"owner", map[string]any{"queue_id": plain}, "BAD_REQUEST", "Missing 'last_event_id' argument"},
		{"owner", map[string]any{"last_event_id": 5}, "BAD_REQUEST", "Missing 'queue_id' argument"},
		{"owner", map[string]any{"queue_id": plain, "last_event_id": "x"}, "BAD_REQUEST", "last_event_id is not valid JSON"},
		{"owner", map[string]any{"queue_id": "nosuch", "last_event_id": 0}, "BAD_EVENT_QUEUE_ID", "Bad event queue ID: nosuch"},
		{"admin", map[string]any{"queue_id": plain, "last_event_id": 0}, "BAD_EVENT_QUEUE_ID", "Bad event queue ID: " + plain},
	} {
		if got := ask(t, s, c.as, "GET", "/events", c.params); got.status != http.StatusBadRequest || got.body["code"] != c.code || got.body["msg"] != c.msg {
			t.Errorf("%s %v: %s, want %s", c.as, c.params, got.text, c.msg)
		}
	}
	narrow := newQueue(t, s, "owner", map[string]any{"narrow": []any{[]string{"is", "dm"}}})
	if got := ask(t, s, "owner", "GET", "/events", map[string]any{"queue_id": narrow, "last_event_id": -1}); got.body["code"] != "NOT_SUPPORTED_BY_SANDBOX" {
		t.Errorf("with a narrow: %s", got.text)
	}
}

// turnOf is how often somebody has asked for the events of a queue.
func (s *Server) turnOf(queue string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queues[queue].turn
}

// waitForTurn waits until somebody has asked for the events of a queue so often.
func (s *Server) waitForTurn(queue string, turn int) {
	for {
		s.mu.Lock()
		reached, changed := s.queues[queue].turn >= turn, s.changed
		s.mu.Unlock()
		if reached {
			return
		}
		<-changed
	}
}

func TestWaitingForEvents(t *testing.T) {
	s := start(t, Config{RateLimits: []RateLimit{{time.Minute, 6}}})
	queue := newQueue(t, s, "owner", map[string]any{"event_types": []string{"message"}})
	wait := func() <-chan response {
		answered := make(chan response, 1)
		before := s.turnOf(queue)
		go func() {
			got, err := newReplay(s).ask(newExchange("owner", "GET", "/events", map[string]any{"queue_id": queue, "last_event_id": -1}))
			if err != nil {
				got.text = err.Error()
			}
			answered <- got
		}()
		s.waitForTurn(queue, before+1)
		return answered
	}
	first := wait()
	second := wait()
	if got := <-first; fmt.Sprint(got.body["events"]) != "[]" || got.body["queue_id"] != queue {
		t.Errorf("a later request ends the one before: %s", got.text)
	}
	guest, _ := s.Credentials("guest")
	for range 4 { // more requests of others wake it than its own account may send
		sent(t, s, "member", map[string]any{"type": "direct", "to": []int{guest.ID}, "content": "not for the owner"})
	}
	must(t, s, "member", "GET", "/users/me", nil)
	id := sent(t, s, "admin", toGeneral("wake", "up"))
	got := <-second
	if events, _ := got.body["events"].([]any); len(events) != 1 || events[0].(map[string]any)["message"].(map[string]any)["id"] != float64(id) || got.body["queue_id"] != queue {
		t.Errorf("woken: %s", got.text)
	}

	s.heartbeat = time.Millisecond
	queue = newQueue(t, s, "admin", map[string]any{"event_types": []string{"reaction"}})
	for id := range 2 {
		got := must(t, s, "admin", "GET", "/events", map[string]any{"queue_id": queue, "last_event_id": id - 1})
		if want := fmt.Sprintf("[map[id:%d type:heartbeat]]", id); fmt.Sprint(got.body["events"]) != want {
			t.Errorf("after a while: %s, want %s", got.text, want)
		}
	}

	s.heartbeat = time.Hour
	closed := make(chan error, 1)
	go func() {
		_, err := newReplay(s).ask(newExchange("admin", "GET", "/events", map[string]any{"queue_id": queue, "last_event_id": 1}))
		closed <- err
	}()
	s.waitForTurn(queue, 3)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-closed; err == nil {
		t.Error("closing the server answers who waits")
	}
}
