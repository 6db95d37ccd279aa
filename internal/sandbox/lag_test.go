package sandbox

import (
	"fmt"
	"testing"
	"time"
)

func TestLag(t *testing.T) {
	now := time.Now()
	s := start(t, Config{Clock: func() time.Time { return now }})
	fault, err := ParseFault("* ** lag=1s")
	if err != nil {
		t.Fatal(err)
	}
	heal := s.Fail(fault)
	replay := newReplay(s)
	ask := func(method, path string, form map[string]string) response {
		t.Helper()
		answer, err := replay.ask(exchange{As: "admin", Method: method, Path: apiPrefix + path, Form: form})
		if err != nil || answer.status != 200 {
			t.Fatalf("%s %s: %d %s, %v", method, path, answer.status, answer.text, err)
		}
		return answer
	}
	shown := func(want int) {
		t.Helper()
		list, _ := ask("GET", "/realm/linkifiers", nil).body["linkifiers"].([]any)
		snapshot, _ := ask("POST", "/register", map[string]string{
			"fetch_event_types": `["realm_linkifiers"]`, "client_capabilities": `{"notification_settings_null":true,"linkifier_url_template":true}`,
		}).body["realm_linkifiers"].([]any)
		if len(list) != want || len(snapshot) != want {
			t.Errorf("the list shows %d linkifiers, the snapshot %d; want %d", len(list), len(snapshot), want)
		}
	}
	add := func(pattern string) {
		t.Helper()
		ask("POST", "/realm/filters", map[string]string{"pattern": pattern, "url_template": "https://example.com/"})
	}
	add("one")
	shown(0)
	now = now.Add(600 * time.Millisecond)
	add("two")
	shown(0)
	now = now.Add(600 * time.Millisecond)
	shown(1)
	now = now.Add(600 * time.Millisecond)
	shown(2)
	add("three")
	shown(2)
	heal()
	shown(3)
}

// A write of an account leaves the lists as they were, until the next one. Whoever asks for the account by itself sees it.
func TestStaleAccounts(t *testing.T) {
	s := start(t, Config{})
	replay := newReplay(s)
	ask := func(method, path string, form map[string]string) response {
		t.Helper()
		answer, err := replay.ask(exchange{As: "owner", Method: method, Path: apiPrefix + path, Form: form})
		if err != nil || answer.status != 200 {
			t.Fatalf("%s %s: %d %s, %v", method, path, answer.status, answer.text, err)
		}
		return answer
	}
	shown := func(want int) {
		t.Helper()
		count := func(answer response, list string) int {
			rows, _ := answer.body[list].([]any)
			bots := 0
			for _, row := range rows {
				if row, _ := row.(map[string]any); list == "realm_bots" || row["is_bot"] == true {
					bots++
				}
			}
			return bots
		}
		snapshot := ask("POST", "/register", map[string]string{
			"fetch_event_types": `["realm_user","realm_bot"]`, "client_capabilities": `{"notification_settings_null":true}`,
		})
		if list, users, bots := count(ask("GET", "/users", nil), "members"), count(snapshot, "realm_users"), count(snapshot, "realm_bots"); list != want || users != want || bots != want {
			t.Errorf("the list shows %d bots, the snapshot %d among the people and %d; want %d", list, users, bots, want)
		}
	}
	fault, err := ParseFault("POST /bots stale 2 skip=1")
	if err != nil {
		t.Fatal(err)
	}
	s.Fail(fault)
	shown(1)
	for _, name := range []string{"a", "b", "c"} {
		id := ask("POST", "/bots", map[string]string{"full_name": name, "short_name": name}).body["user_id"]
		ask("GET", fmt.Sprint("/users/", id), nil)
		shown(2)
	}
	ask("POST", "/bots", map[string]string{"full_name": "d", "short_name": "d"})
	shown(5)
}
