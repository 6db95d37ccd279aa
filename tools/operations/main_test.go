package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCalls_Operations_Recognized(t *testing.T) {
	for _, test := range []struct {
		line, want string
	}{
		{"GET /users/12", "Get a user"},
		{"GET /users/ada@example.com", "Get a user by email"},
		{"GET /users/me", ""},
		{"GET /users/12/status", ""},
		{"POST /messages/flags op=remove", "Remove personal message flags"},
		{"POST /messages/flags/narrow op=remove", "Remove personal message flags for a narrow"},
		{"POST /messages", "Send a message"},
		{"PATCH /messages", ""},
		{"PATCH /streams/7", "Update a channel"},
		{"PATCH /streams/7 is_archived=false", "Update a channel, Unarchive a channel"},
		{"PATCH /streams/x", ""},
		{"GET /api/TradePlatforms/5f0c/Ping", "Ping a trade platform"},
		{"", ""},
	} {
		var names []string
		for _, o := range operations {
			if o.isCall(test.line) {
				names = append(names, o.name)
			}
		}
		if got := strings.Join(names, ", "); got != test.want {
			t.Errorf("%q is %q, want %q", test.line, got, test.want)
		}
	}
}

func TestOperations_All_Unique(t *testing.T) {
	if len(operations) != 30 {
		t.Errorf("%d operations, want 30", len(operations))
	}
	seen := map[string]bool{}
	for _, o := range operations {
		if seen[o.name] || seen[o.wire()] {
			t.Errorf("%s (%s) is there twice", o.name, o.wire())
		}
		seen[o.name], seen[o.wire()] = true, true
	}
}

// TestMissing_EachRemoval_Reported removes one part at a time from a complete project.
func TestMissing_EachRemoval_Reported(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(*testing.T, string)
		want  string // "" if nothing is missing
	}{
		"nothing": {func(*testing.T, string) {}, ""},
		"a call": {func(t *testing.T, dir string) { edit(t, dir, "calls", "POST /typing op=stop\n", "") },
			"Stop typing: no test made the provider call it"},
		"the flow": {func(t *testing.T, dir string) { edit(t, dir, "calls", "POST /connect/token\n", "") },
			"Request an access token: no test made the provider call it"},
		"a row": {func(t *testing.T, dir string) {
			edit(t, dir, page, "| Create drafts | `POST /drafts` | resource `zulip_thing` |\n", "")
		}, "Create drafts: " + page + " has no row for it (`POST /drafts`)"},
		"a construct": {func(t *testing.T, dir string) {
			edit(t, dir, page, "`POST /drafts` | resource `zulip_thing`", "`POST /drafts` | somehow")
		}, "Create drafts: " + page + ": names no construct"},
		"a page": {func(t *testing.T, dir string) {
			edit(t, dir, page, "`POST /drafts` | resource `zulip_thing`", "`POST /drafts` | action `zulip_thing`")
		}, "Create drafts: " + page + ": action zulip_thing has no docs/actions/thing.md"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := complete(t)
			test.spoil(t, dir)
			missing, err := check(dir, filepath.Join(dir, "calls"))
			if err != nil {
				t.Fatal(err)
			}
			got := missing.sorted()
			if test.want == "" && len(got) > 0 || test.want != "" && !slices.Contains(got, test.want) {
				t.Errorf("missing: %q, want %q", got, test.want)
			}
		})
	}
}

// complete creates a complete project.
func complete(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var table, calls strings.Builder
	fill := strings.NewReplacer("{email}", "a@b.c", "{id}", "x", "{stream_id}", "1", "{scheduled_message_id}", "1",
		"{message_id}", "1", "{user_id}", "1", "{filter_id}", "1")
	for _, o := range append(slices.Clone(operations), tokenFlow) {
		table.WriteString("| " + o.name + " | " + o.wire() + " | resource `zulip_thing` |\n")
		calls.WriteString(strings.TrimSpace(fill.Replace(o.endpoint)+" "+o.sent) + "\n")
	}
	write(t, dir, page, table.String())
	write(t, dir, "calls", calls.String())
	write(t, dir, "docs/resources/thing.md", "")
	write(t, dir, "examples/resources/zulip_thing/resource.tf", "")
	return dir
}

func edit(t *testing.T, dir, name, old, replacement string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s does not hold %q", name, old)
	}
	write(t, dir, name, strings.Replace(string(text), old, replacement, 1))
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
