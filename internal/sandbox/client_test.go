package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

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

	// A scheduled message is sent by the program that touched it last.
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

	// The notices are the server's own.
	createdChannel(t, s, "owner", "fresh")
	member, _ := s.Credentials("member")
	must(t, s, "owner", "POST", "/users/me/subscriptions", map[string]any{"subscriptions": []any{map[string]any{"name": "fresh"}}, "principals": []int{member.ID}})
	if got := newest("member"); got["sender_full_name"] != "Notification Bot" || got["client"] != "Internal" {
		t.Errorf("a notice: %v", got)
	}
}
