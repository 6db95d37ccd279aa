package sandbox

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// sent posts a message as an account and returns its id.
func sent(t *testing.T, s *Server, as string, params map[string]any) int {
	t.Helper()
	return int(must(t, s, as, "POST", "/messages", params).body["id"].(float64))
}

func toGeneral(topic, content string) map[string]any {
	return map[string]any{"type": "channel", "to": "general", "topic": topic, "content": content}
}

// queryParams reads parameters as they stand in an address.
func queryParams(t *testing.T, query string) map[string]any {
	t.Helper()
	params := map[string]any{}
	for name, value := range parseFields(query) {
		params[name] = value
	}
	return params
}

func TestMessageObject(t *testing.T) {
	s := start(t, Config{})
	id := sent(t, s, "member", toGeneral("", "Hello"))
	must(t, s, "guest", "POST", fmt.Sprintf("/messages/%d/reactions", id), map[string]any{"emoji_name": "octopus"})
	must(t, s, "member", "PATCH", fmt.Sprintf("/messages/%d", id), map[string]any{"content": "Hello *all*", "topic": "greetings"})
	got := must(t, s, "guest", "GET", fmt.Sprintf("/messages/%d", id), map[string]any{"apply_markdown": "false"}).body["message"].(map[string]any)
	guest, _ := s.Credentials("guest")
	for name, want := range map[string]any{
		"type": "stream", "display_recipient": "general", "subject": "greetings", "content": "Hello *all*",
		"content_type": "text/x-markdown", "sender_full_name": "Lena Fischer", "is_me_message": false,
	} {
		if got[name] != want {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
	reactions := got["reactions"].([]any)
	if r := reactions[0].(map[string]any); len(reactions) != 1 || r["emoji_code"] != "1f419" || r["user_id"] != float64(guest.ID) {
		t.Errorf("reactions: %v", reactions)
	}
	edits := got["edit_history"].([]any)
	if e := edits[0].(map[string]any); len(edits) != 1 || e["prev_content"] != "Hello" || e["prev_topic"] != "" || e["topic"] != "greetings" {
		t.Errorf("edit history: %v", edits)
	}
}

func TestEmptyTopicsAreNamedForWhoCannotTakeThem(t *testing.T) {
	s := start(t, Config{})
	id := sent(t, s, "member", toGeneral("", "Hello"))
	general, _ := s.Organization().Channel("general")
	for allow, want := range map[string]string{"true": "", "false": "general chat"} {
		m := must(t, s, "member", "GET", fmt.Sprintf("/messages/%d", id), map[string]any{"allow_empty_topic_name": allow})
		if got := m.body["message"].(map[string]any)["subject"]; got != want {
			t.Errorf("allowed %s: message in %q, want %q", allow, got, want)
		}
		topics := must(t, s, "member", "GET", fmt.Sprintf("/users/me/%d/topics", general.ID), map[string]any{"allow_empty_topic_name": allow})
		if got := topics.body["topics"].([]any)[0].(map[string]any)["name"]; got != want {
			t.Errorf("allowed %s: topic %q, want %q", allow, got, want)
		}
	}
}

func TestRecipientsOfMessages(t *testing.T) {
	s := start(t, Config{})
	member, _ := s.Credentials("member")
	admin, _ := s.Credentials("admin")
	createdChannel(t, s, "admin", "123")
	tests := []struct {
		kind string
		to   any
		want string
	}{
		{"channel", "123", "Channel with ID '123' does not exist"},
		{"channel", `"123"`, ""},
		{"channel", `["general"]`, ""},
		{"channel", []string{"general", "incidents"}, "Expected exactly one channel"},
		{"channel", map[string]any{}, "Invalid data type for channel"},
		{"channel", "<b>", "Channel '&lt;b&gt;' does not exist"},
		{"direct", []int{member.ID}, ""},
		{"direct", member.APIEmail, ""},
		{"direct", admin.APIEmail + ", " + member.APIEmail, ""},
		{"direct", []any{member.ID, member.APIEmail}, "Recipient lists may contain emails or user IDs, but not both."},
		{"direct", 7, "Invalid data type for recipients"},
		{"direct", []int{}, "Message must have recipients"},
	}
	for _, test := range tests {
		got := ask(t, s, "admin", "POST", "/messages", map[string]any{"type": test.kind, "to": test.to, "topic": "t", "content": "x"})
		if said, _ := got.body["msg"].(string); said != test.want {
			t.Errorf("%s to %v: %q, want %q", test.kind, test.to, said, test.want)
		}
	}
	got := ask(t, s, "admin", "POST", "/messages", map[string]any{"type": "channel", "to": "general", "topic": "a", "subject": "b", "content": "x"})
	if got.body["code"] != "REQUEST_CONFUSING_VAR" {
		t.Errorf("two topics: %s", got.text)
	}
}

func TestReadingMessages(t *testing.T) {
	s := start(t, Config{})
	var ids []int
	for i := range 4 {
		ids = append(ids, sent(t, s, "member", toGeneral("t", fmt.Sprint(i))))
	}
	read := func(query string) (found []int, answer map[string]any) {
		t.Helper()
		answer = must(t, s, "admin", "GET", "/messages", queryParams(t, query)).body
		for _, m := range answer["messages"].([]any) {
			found = append(found, int(m.(map[string]any)["id"].(float64)))
		}
		return found, answer
	}
	if found, _ := read(fmt.Sprintf("message_ids=[%d,%d,999999]", ids[3], ids[1])); !slices.Equal(found, []int{ids[1], ids[3]}) {
		t.Errorf("by ids: %v", found)
	}
	found, answer := read(`anchor=newest&num_before=2&narrow=[{"operator":"channel","operand":"general"}]`)
	if !slices.Equal(found, ids[2:]) || answer["found_newest"] != true || answer["found_oldest"] != false {
		t.Errorf("the newest two: %v, %v", found, answer)
	}
	must(t, s, "admin", "POST", "/messages/flags", map[string]any{"messages": ids[:2], "op": "add", "flag": "read"})
	if found, answer := read("anchor=first_unread&num_before=1"); !slices.Equal(found, ids[1:3]) || answer["anchor"] != float64(ids[2]) {
		t.Errorf("around the first unread: %v, %v", found, answer)
	}
	for query, want := range map[string]string{
		"num_before=1":                                           "Missing 'anchor' argument.",
		"anchor=newest&num_before=5001":                          "Too many messages requested (maximum 5000).",
		"anchor=newest&num_before=-1":                            "num_before is too small",
		"anchor=newest&message_ids=[1]":                          "Unsupported parameter combination: num_before, num_after, anchor, message_ids, include_anchor, use_first_unread_anchor",
		"anchor=1&num_before=1&num_after=1&include_anchor=false": "The anchor can only be excluded at an end of the range",
	} {
		if got := ask(t, s, "admin", "GET", "/messages", queryParams(t, query)); got.body["msg"] != want {
			t.Errorf("%s: %q, want %q", query, got.body["msg"], want)
		}
	}
}

// Messages, flags and scheduled messages survive a restart; what became due
// long before it has failed.
func TestMessagesAreKept(t *testing.T) {
	now := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	cfg := Config{StatePath: filepath.Join(t.TempDir(), "state"), Clock: func() time.Time { return now }}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	id := sent(t, s, "member", toGeneral("t", "kept"))
	must(t, s, "admin", "POST", "/messages/flags", map[string]any{"messages": []int{id}, "op": "add", "flag": "starred"})
	general, _ := s.Organization().Channel("general")
	plan := func(after time.Duration, topic string) {
		must(t, s, "member", "POST", "/scheduled_messages", map[string]any{
			"type": "channel", "to": general.ID, "topic": topic, "content": "planned", "scheduled_delivery_timestamp": now.Add(after).Unix(),
		})
	}
	plan(time.Minute, "running")
	plan(time.Hour, "paused")
	now = now.Add(2 * time.Minute)
	topics := must(t, s, "member", "GET", fmt.Sprintf("/users/me/%d/topics", general.ID), nil)
	if list := topics.body["topics"].([]any); len(list) != 2 || list[0].(map[string]any)["name"] != "running" {
		t.Errorf("topics when the first is due: %v", list)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	now = now.Add(3 * time.Hour)
	s = start(t, cfg)
	message := must(t, s, "admin", "GET", fmt.Sprintf("/messages/%d", id), map[string]any{"apply_markdown": "false"}).body["message"].(map[string]any)
	if message["content"] != "kept" || !slices.Contains(message["flags"].([]any), any("starred")) {
		t.Errorf("after the restart: %v", message)
	}
	left := must(t, s, "member", "GET", "/scheduled_messages", nil).body["scheduled_messages"].([]any)
	if len(left) != 1 || left[0].(map[string]any)["failed"] != true {
		t.Errorf("what became due while the server did not run: %v", left)
	}
}
