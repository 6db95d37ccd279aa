package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// registerKeys is the answer of a real server of feature level 442 to POST /register. It has the fields of each event type,
// or of several, and the JSON type of each field of a complete answer.
type registerKeys struct {
	Parts        map[string][]string `json:"parts"`
	Keys         map[string]string   `json:"keys"`
	UserSettings map[string]string   `json:"user_settings"`
}

func TestSnapshot_Fields_SameAsServer(t *testing.T) {
	data, err := os.ReadFile("testdata/register-keys.json")
	requireNoError(t, err)
	var recorded registerKeys
	requireNoError(t, json.Unmarshal(data, &recorded))
	s := start(t, Config{FeatureLevel: 442, Accounts: readRecording(t, "testdata/recordings/channels-create.json").Accounts})
	all := must(t, s, "owner", "POST", "/register", nil).body
	for what, pair := range map[string][2]map[string]string{
		"fields": {recorded.Keys, jsonTypes(all)}, "user_settings": {recorded.UserSettings, jsonTypes(all["user_settings"].(map[string]any))},
	} {
		for name, want := range pair[0] {
			if got := pair[1][name]; got != want {
				t.Errorf("%s: %s is %q, want %q", what, name, got, want)
			}
		}
		for name := range pair[1] {
			if _, ok := pair[0][name]; !ok {
				t.Errorf("%s: %s is not on the server", what, name)
			}
		}
	}
	common := jsonTypes(must(t, s, "owner", "POST", "/register", map[string]any{"event_types": []string{}}).body)
	for types, want := range recorded.Parts {
		body := must(t, s, "owner", "POST", "/register", map[string]any{"event_types": strings.Split(types, ",")}).body
		got := slices.Sorted(maps.Keys(body))
		got = slices.DeleteFunc(got, func(name string) bool { return common[name] != "" })
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", types, got, want)
		}
	}
}

func jsonTypes(object map[string]any) map[string]string {
	types := map[string]string{}
	for name, value := range object {
		switch value.(type) {
		case nil:
			types[name] = "null"
		case bool:
			types[name] = "boolean"
		case float64:
			types[name] = "number"
		case string:
			types[name] = "string"
		case []any:
			types[name] = "list"
		default:
			types[name] = "object"
		}
	}
	return types
}

func TestSnapshotOfNotificationSettings(t *testing.T) {
	s := start(t, Config{})
	general, _ := s.Organization().Channel("general")
	must(t, s, "member", "PATCH", fmt.Sprintf("/users/me/subscriptions/%d", general.ID), map[string]any{"property": "push_notifications", "value": "true"})
	must(t, s, "member", "PATCH", "/settings", map[string]any{"enable_stream_email_notifications": true})
	must(t, s, "member", "DELETE", "/users/me/subscriptions", map[string]any{"subscriptions": []string{"incidents"}})
	settings := func(list, channel string, params map[string]any) []any {
		params["event_types"] = []string{"subscription"}
		for _, row := range must(t, s, "member", "POST", "/register", params).body[list].([]any) {
			if row := row.(map[string]any); row["name"] == channel {
				return []any{row["push_notifications"], row["email_notifications"], row["desktop_notifications"], row["wildcard_mentions_notify"]}
			}
		}
		t.Fatalf("%s is not among %s", channel, list)
		return nil
	}
	able := map[string]any{"client_capabilities": map[string]any{"notification_settings_null": true}}
	for _, test := range []struct {
		list, channel string
		params        map[string]any
		want          []any
	}{
		{"subscriptions", "general", map[string]any{}, []any{true, true, false, nil}},
		{"subscriptions", "general", able, []any{true, nil, nil, nil}},
		{"unsubscribed", "incidents", map[string]any{}, []any{false, true, false, nil}},
		{"unsubscribed", "incidents", able, []any{nil, nil, nil, nil}},
	} {
		if got := settings(test.list, test.channel, test.params); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s with %v: %v, want %v", test.channel, test.params, got, test.want)
		}
	}
}

func TestSnapshotOfUnreadMessages(t *testing.T) {
	s := start(t, Config{})
	member, _ := s.Credentials("member")
	admin, _ := s.Credentials("admin")
	owner, _ := s.Credentials("owner")
	general, _ := s.Organization().Channel("general")
	topic := sent(t, s, "admin", toGeneral("news", "Hello @**|"+userKey(member.ID)+"**"))
	direct := sent(t, s, "admin", map[string]any{"type": "direct", "to": []int{member.ID}, "content": "Hi"})
	read := sent(t, s, "admin", map[string]any{"type": "direct", "to": []int{member.ID}, "content": "Hi again"})
	group := sent(t, s, "admin", map[string]any{"type": "direct", "to": []int{member.ID, owner.ID}, "content": "Both of you"})
	must(t, s, "member", "POST", "/messages/flags", map[string]any{"messages": []int{read}, "op": "add", "flag": "read"})
	must(t, s, "member", "POST", "/messages/flags", map[string]any{"messages": []int{}, "op": "add", "flag": "read"})
	body := must(t, s, "member", "POST", "/register", map[string]any{
		"event_types": []string{"message", "update_message_flags", "recent_private_conversations"},
	}).body
	people := slices.Sorted(slices.Values([]int{owner.ID, admin.ID, member.ID}))
	want := map[string]any{
		"pms":     []any{map[string]any{"other_user_id": admin.ID, "sender_id": admin.ID, "unread_message_ids": []int{direct}}},
		"streams": []any{map[string]any{"stream_id": general.ID, "topic": "news", "unread_message_ids": []int{topic}}},
		"huddles": []any{map[string]any{"user_ids_string": joinIDs(people), "unread_message_ids": []int{group}}},
		"count":   3, "mentions": []int{topic}, "old_unreads_missing": false,
	}
	if got := compactAll(body["unread_msgs"]); got != compactAll(want) {
		t.Errorf("unread: %s, want %s", got, compactAll(want))
	}
	others := slices.Sorted(slices.Values([]int{owner.ID, admin.ID}))
	conversations := []any{
		map[string]any{"max_message_id": group, "user_ids": others}, map[string]any{"max_message_id": read, "user_ids": []int{admin.ID}},
	}
	if got := compactAll(body["recent_private_conversations"]); got != compactAll(conversations) {
		t.Errorf("conversations: %s, want %s", got, compactAll(conversations))
	}
	must(t, s, "member", "PATCH", fmt.Sprintf("/users/me/subscriptions/%d", general.ID), map[string]any{"property": "is_muted", "value": "true"})
	muted := must(t, s, "member", "POST", "/register", nil).body["unread_msgs"].(map[string]any)
	if muted["count"] != 3.0 { // the topic in which one is mentioned is followed
		t.Errorf("with the channel muted %v count, want 3", muted["count"])
	}
}

func TestQueueID_Registered_UUID(t *testing.T) {
	s := start(t, Config{})
	id := must(t, s, "member", "POST", "/register", map[string]any{"event_types": []string{}}).body["queue_id"].(string)
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
		t.Errorf("queue_id: %s", id)
	}
	must(t, s, "member", "DELETE", "/events", map[string]any{"queue_id": id})
}

// newQueue registers for some types of events, all if there are none, and returns the queue's ID.
func newQueue(t *testing.T, s *Server, as string, params map[string]any) string {
	t.Helper()
	params["fetch_event_types"] = []string{}
	return must(t, s, as, "POST", "/register", params).body["queue_id"].(string)
}

// readEvents reads the events of a queue after one of them, without waiting.
func readEvents(t *testing.T, s *Server, as, queue string, last int) []any {
	t.Helper()
	return must(t, s, as, "GET", "/events", map[string]any{"queue_id": queue, "last_event_id": last, "dont_block": true}).body["events"].([]any)
}

func TestEvents_ReceivedMessages_Listed(t *testing.T) {
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

	events := readEvents(t, s, "owner", plain, -1)
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
	if message := readEvents(t, s, "owner", rendered, -1)[0].(map[string]any)["message"].(map[string]any); message["subject"] != "" ||
		message["content_type"] != "text/html" || !strings.HasPrefix(message["content"].(string), "<p>") {
		t.Errorf("rendered: %v", message)
	}
	if events := readEvents(t, s, "owner", other, -1); len(events) != 0 {
		t.Errorf("who wants no messages gets %v", events)
	}

	// Confirmed events are removed.
	if events := readEvents(t, s, "owner", plain, 0); len(events) != 1 || events[0].(map[string]any)["id"] != 1.0 {
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

// turnOf is the number of requests for the events of a queue.
func (s *Server) turnOf(queue string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queues[queue].turn
}

// waitForTurn waits for this number of requests for the events of a queue.
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
	for range 4 { // other requests wake it more often than its own account may call
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
	requireNoError(t, s.Close())
	if err := <-closed; err == nil {
		t.Error("closing the server answers who waits")
	}
}
