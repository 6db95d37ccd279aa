package sandbox

import (
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
