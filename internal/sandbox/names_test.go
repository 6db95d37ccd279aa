package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
)

// Names are equal as on the recorded server (server-behavior §C23).
func TestConformanceNames_TwoSpellings_Equal(t *testing.T) {
	content, err := os.ReadFile("testdata/case-folding.json")
	var pairs []struct {
		First, Second          string
		Channel, Folder, Group int
	}
	if err == nil {
		err = json.Unmarshal(content, &pairs)
	}
	requireNoError(t, err)
	for i, pair := range pairs {
		t.Run(fmt.Sprintf("%d %+q %+q", i, pair.First, pair.Second), func(t *testing.T) {
			s := start(t, Config{})
			for _, kind := range []struct {
				path, name string
				params     map[string]any
				want       int
			}{
				{"/channels/create", "name", map[string]any{"subscribers": []int{}}, pair.Channel},
				{"/channel_folders/create", "name", map[string]any{"description": ""}, pair.Folder},
				{"/user_groups/create", "name", map[string]any{"description": "", "members": []int{}}, pair.Group},
			} {
				kind.params[kind.name] = pair.First
				must(t, s, "owner", "POST", kind.path, kind.params)
				kind.params[kind.name] = pair.Second
				if got := ask(t, s, "owner", "POST", kind.path, kind.params); got.status != kind.want {
					t.Errorf("%s: %d %s, want %d", kind.path, got.status, got.text, kind.want)
				}
			}
		})
	}
}

func TestConformanceNames_Unsubscribe_SmallLettersCompared(t *testing.T) {
	s := start(t, Config{})
	createdChannel(t, s, "owner", "ſ")
	for name, want := range map[string]int{"ſ": http.StatusOK, "s": http.StatusBadRequest} {
		got := ask(t, s, "owner", "DELETE", "/users/me/subscriptions", map[string]any{"subscriptions": []string{name}})
		if got.status != want || want != http.StatusOK && got.body["msg"] != "Channel(s) (s) do not exist" {
			t.Errorf("%s: %d %s", name, got.status, got.text)
		}
	}
}

// Texts that the server refuses, changes or cannot store (server-behavior §R29, §R30, §C24, §S12).
func TestConformanceNames_Characters(t *testing.T) {
	channel := func(name, description string) map[string]any {
		return map[string]any{"name": name, "description": description, "subscribers": []int{}}
	}
	group := func(name, description string) map[string]any {
		return map[string]any{"name": name, "description": description, "members": []int{}}
	}
	set := func(description string) map[string]any {
		return map[string]any{"group_name": "a", "description": description, "stream_names": []string{}}
	}
	for _, test := range []struct {
		method, path string
		params       map[string]any
		want         int
		says         string
	}{
		{"POST", "/user_groups/create", group("a\x00b", ""), 500, "Internal server error"},
		{"POST", "/user_groups/create", group("a", "\x00"), 500, "Internal server error"},
		{"POST", "/channels/create", channel("a", "\x00"), 500, "Internal server error"},
		{"POST", "/channel_folders/create", map[string]any{"name": "a", "description": "\x00"}, 500, "Internal server error"},
		{"PATCH", "/realm", map[string]any{"description": "\x00"}, 500, "Internal server error"},
		{"POST", "/default_stream_groups/create", set("\x00"), 500, "Internal server error"},
		{"POST", "/default_stream_groups/create", set(strings.Repeat("x", 1025)), 500, "Internal server error"},
		{"POST", "/users/me/status", map[string]any{"status_text": "a\x00"}, 500, "Internal server error"},
		{"POST", "/realm/profile_fields", map[string]any{"name": "a\x00", "field_type": 1}, 500, "Internal server error"},
		{"POST", "/channels/create", channel("a\ufffeb", ""), 400, "Invalid character in channel name, at position 2."},
		{"POST", "/channel_folders/create", map[string]any{"name": "\ufffe", "description": ""}, 400, "Invalid character in channel folder name, at position 1."},
		{"POST", "/channel_folders/create", map[string]any{"name": "\u00a0", "description": ""}, 400, "Channel folder name can't be empty."},
		{"POST", "/channels/create", channel("\x1fa", ""), 200, ""},
		{"PATCH", "/settings", map[string]any{"full_name": "\x1cIago \ufffd\x1f"}, 200, ""},
	} {
		s := start(t, Config{})
		if got := ask(t, s, "owner", test.method, test.path, test.params); got.status != test.want || got.body["msg"] != test.says {
			t.Errorf("%s %s %+q: %d %s", test.method, test.path, test.params, got.status, got.text)
		}
	}
	s := start(t, Config{})
	createdChannel(t, s, "owner", "\x1fa")
	if got := ask(t, s, "owner", "POST", "/channels/create", channel("a", "")); got.status != http.StatusConflict {
		t.Errorf("the name was not stripped: %s", got.text)
	}
	must(t, s, "owner", "PATCH", "/settings", map[string]any{"full_name": "\x1cIago \ufffd\x1f"})
	if got := must(t, s, "owner", "GET", "/users/me", nil); got.body["full_name"] != "Iago \ufffd" {
		t.Errorf("full_name is %+q", got.body["full_name"])
	}
}
