package sandbox

import (
	"net/http"
	"strings"
	"testing"
)

// What a real server has and the sandbox does not is told apart from what there is not.
func TestOtherEndpoints(t *testing.T) {
	s := start(t, Config{})
	for _, e := range unsupported() {
		path := "/api/v1" + e.path
		for _, name := range []string{"{user_id:int}", "{stream_id:int}", "{message_id:int}", "{attachment_id:int}", "{reminder_id:int}", "{export_id:int}"} {
			path = strings.ReplaceAll(path, name, "5")
		}
		send := func(as string) response {
			got, err := newReplay(s).ask(exchange{As: as, Method: e.method, Path: strings.NewReplacer("{", "", "}", "").Replace(path)})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		if got := send("nobody"); got.status != http.StatusUnauthorized || got.body["code"] != "UNAUTHORIZED" {
			t.Errorf("%s %s without credentials: %d %s", e.method, e.path, got.status, got.text)
		}
		got := send("guest")
		msg := "The sandbox does not support " + e.method + " " + strings.ReplaceAll(e.path, ":int", "") + "."
		if got.status != http.StatusNotFound || got.body["result"] != "error" || got.body["code"] != "NOT_SUPPORTED_BY_SANDBOX" || got.body["msg"] != msg {
			t.Errorf("%s %s: %d %s", e.method, e.path, got.status, got.text)
		}
	}
	for _, c := range []struct {
		method, path string
		allowed      string
	}{
		{"POST", "/events", "GET, DELETE, HEAD"},
		{"PATCH", "/bot_storage", "PUT, GET, DELETE, HEAD"},
		{"GET", "/user_topics", "POST"},
		{"GET", "/messages/render", "POST"},
		{"DELETE", "/fetch_api_key", "POST"},
		{"GET", "/users/me/api_key/regenerate", "POST"},
	} {
		if got := ask(t, s, "nobody", c.method, c.path, nil); got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != c.allowed || got.body["msg"] != "Method Not Allowed" {
			t.Errorf("%s %s: %d, allowed: %s, %s", c.method, c.path, got.status, got.header.Get("Allow"), got.text)
		}
	}
	for _, path := range []string{"/nosuch", "/attachments/x", "/users/me/nosuch"} {
		if got := ask(t, s, "owner", "DELETE", path, nil); got.status != http.StatusNotFound || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d %s", path, got.status, got.text)
		}
	}
}
