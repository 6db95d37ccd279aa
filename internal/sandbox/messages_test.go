package sandbox

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func sent(t *testing.T, s *Server, as string, params map[string]any) int {
	t.Helper()
	return int(must(t, s, as, "POST", "/messages", params).body["id"].(float64))
}

func toGeneral(topic, content string) map[string]any {
	return map[string]any{"type": "channel", "to": "general", "topic": topic, "content": content}
}

// queryParams reads the parameters of an address.
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

func TestEmptyTopic_OldClient_Named(t *testing.T) {
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

// Messages, flags and scheduled messages survive a restart. A scheduled message that became due long before has failed.
func TestMessages_Restarted_Kept(t *testing.T) {
	now := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	cfg := Config{StatePath: filepath.Join(t.TempDir(), "state"), Clock: func() time.Time { return now }}
	s, err := New(cfg)
	requireNoError(t, err)
	requireNoError(t, s.Start("127.0.0.1:0"))
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
	requireNoError(t, s.Close())

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

func TestPeopleOfDirectMessages(t *testing.T) {
	s := start(t, Config{Accounts: map[string]Account{
		"zoe":  {Email: "zoe@example.com", FullName: "Zoe", Role: 100},
		"amy":  {Email: "amy@example.com", FullName: "Amy", Role: 400},
		"beth": {Email: "beth@example.com", FullName: "Beth", Role: 400},
	}})
	zoe, _ := s.Credentials("zoe")
	amy, _ := s.Credentials("amy")
	beth, _ := s.Credentials("beth")
	for _, c := range []string{"zoe", "amy", "beth"} {
		must(t, s, c, "PATCH", "/settings", map[string]any{"email_address_visibility": 1})
	}
	for _, test := range []struct{ to, want []int }{
		{[]int{amy.ID}, []int{amy.ID, zoe.ID}},
		{[]int{amy.ID, beth.ID}, []int{zoe.ID, amy.ID, beth.ID}},
		{[]int{zoe.ID}, []int{zoe.ID}},
	} {
		id := sent(t, s, "zoe", map[string]any{"type": "direct", "to": test.to, "content": "Hi"})
		message := must(t, s, "zoe", "GET", fmt.Sprintf("/messages/%d", id), nil).body["message"].(map[string]any)
		var got []int
		for _, person := range message["display_recipient"].([]any) {
			got = append(got, int(person.(map[string]any)["id"].(float64)))
		}
		if fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("to %v: %v, want %v", test.to, got, test.want)
		}
	}
}

func TestSearch_Matches_Highlighted(t *testing.T) {
	s := start(t, Config{})
	sent(t, s, "member", toGeneral("Tea & cakes", "Two **cakes**, & a search for [cake](https://example.com/cake)"))
	sent(t, s, "member", toGeneral("other", "Nothing to see"))
	messages := func(narrow string) []any {
		return must(t, s, "member", "GET", "/messages", map[string]any{"anchor": "newest", "num_before": "10", "narrow": narrow}).body["messages"].([]any)
	}
	const content = `<p>Two <strong><span class="highlight">cakes</span></strong>, &amp; a search for ` +
		`<a href="https://example.com/cake"><span class="highlight">cake</span></a></p>`
	const subject = `Tea &amp; <span class="highlight">cakes</span>`
	for narrow, found := range map[string]bool{
		`[["search","CAKE"]]`: true, `[["search","cakes tea two"]]`: true, `[["search","cak"]]`: false,
		`[["search","\"cakes two\""]]`: false, `[["search","nowhere"]]`: false,
	} {
		if got := messages(narrow); len(got) > 0 != found {
			t.Errorf("%s: %v", narrow, got)
		}
	}
	got := messages(`[["search","cake"]]`)[0].(map[string]any)
	if got["match_content"] != content || got["match_subject"] != subject {
		t.Errorf("match_content %v\nmatch_subject %v", got["match_content"], got["match_subject"])
	}
	if _, ok := messages(`[["channel","general"]]`)[0].(map[string]any)["match_content"]; ok {
		t.Error("match_content without a search")
	}
}

// The names were tried on a real server.
func TestClientOfMessages(t *testing.T) {
	now := time.Now()
	s := start(t, Config{Clock: func() time.Time { return now }})
	p := newReplay(s)
	as := func(agent string, x exchange) response {
		got, err := p.send(x, func(req *http.Request) {
			p.authorize(req, x)
			req.Header["User-Agent"] = []string{agent}
		})
		if err != nil || got.status != http.StatusOK {
			t.Fatalf("%q: %v %s", agent, err, got.text)
		}
		return got
	}
	shown := func(id any) any {
		return must(t, s, "member", "GET", fmt.Sprintf("/messages/%v", id), nil).body["message"].(map[string]any)["client"]
	}
	for agent, want := range map[string]string{
		"python-requests/2.31.0":         "python-requests",
		"ZulipMobile/27.1":               "ZulipMobile",
		"Mozilla/5.0 (X11; Linux)":       "Mozilla",
		"Zulip-iac terraform/1.0":        "Zulip-iac terraform",
		"Foo Bar 3.1/2 (x)":              "Foo Bar",
		"Terraform/1.9 (+https://x) y/1": "Terraform",
		"foo(bar)":                       "foo(bar)",
		"123":                            "123",
		"/1.0":                           "",
		strings.Repeat("x", 40) + "/3":   strings.Repeat("x", 30),
	} {
		got := as(agent, newExchange("member", "POST", "/messages", toGeneral("clients", "x")))
		if client := shown(got.body["id"]); client != want {
			t.Errorf("%q is %q, want %q", agent, client, want)
		}
	}
	for given, want := range map[string]string{"given": "given", "": ""} {
		params := toGeneral("clients", "x")
		params["client"] = given
		if client := shown(as("a/1", newExchange("member", "POST", "/messages", params)).body["id"]); client != want {
			t.Errorf("the parameter %q: %q", given, client)
		}
	}

	// The sender program of a scheduled message is the one that changed it last.
	general, _ := s.Organization().Channel("general")
	at := func(seconds int) int64 { return now.Add(time.Duration(seconds) * time.Second).Unix() }
	scheduled := as("first/1", newExchange("member", "POST", "/scheduled_messages", map[string]any{
		"type": "channel", "to": general.ID, "topic": "later", "content": "x", "scheduled_delivery_timestamp": at(60),
	})).body["scheduled_message_id"]
	as("second/1", newExchange("member", "PATCH", fmt.Sprintf("/scheduled_messages/%v", scheduled), map[string]any{"scheduled_delivery_timestamp": at(90)}))
	now = now.Add(2 * time.Minute)
	newest := func(as string) map[string]any {
		all := must(t, s, as, "GET", "/messages", map[string]any{"anchor": "newest", "num_before": 1, "num_after": 0}).body["messages"].([]any)
		return all[len(all)-1].(map[string]any)
	}
	if got := newest("member"); got["subject"] != "later" || got["client"] != "second" {
		t.Errorf("scheduled: %v", got)
	}

	// The server posts the notices.
	createdChannel(t, s, "owner", "fresh")
	member, _ := s.Credentials("member")
	must(t, s, "owner", "POST", "/users/me/subscriptions", map[string]any{"subscriptions": []any{map[string]any{"name": "fresh"}}, "principals": []int{member.ID}})
	if got := newest("member"); got["sender_full_name"] != "Notification Bot" || got["client"] != "Internal" {
		t.Errorf("a notice: %v", got)
	}
}
