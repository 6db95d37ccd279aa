package sandbox

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// callers are the accounts of the example organization, of every role.
var callers = []string{"owner", "admin", "moderator", "member", "member2", "guest", "bot"}

// After any request the rules of an organization hold, and a refused request changed nothing. Related requests come
// together, so that they interact. Without ZULIP_TEST_ALL=1 a quarter of the sequences runs.
func TestOrganizationSequences(t *testing.T) {
	for about, kinds := range map[string][]string{
		"groups":        {"create group", "change group", "person or bot"},
		"permissions":   {"change group", "organization", "channel", "person or bot"},
		"folders":       {"folder", "channel"},
		"subscriptions": {"subscription", "channel", "person or bot"},
		"the rest":      {"profile field, playground, domain", "emoji, default", "channel", "organization"},
	} {
		t.Run(about, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				if os.Getenv("ZULIP_TEST_ALL") != "1" && rapid.IntRange(1, 4).Draw(t, "one in four") > 1 {
					return
				}
				s := newSequence(t)
				actions := map[string]func(*rapid.T){"": s.inOrder}
				for _, kind := range kinds {
					actions[kind] = func(t *rapid.T) { s.step(t, requests[kind](world{s, t})) }
				}
				t.Repeat(actions)
				s.sameEverywhere(t)
			})
		})
	}
}

// inOrder checks every invariant.
func (s *sequence) inOrder(t *rapid.T) {
	s.replay.server.Organization().Read(func(o *rules.Organization) {
		for name, wrong := range invariants {
			if text := wrong(o); text != "" {
				t.Fatalf("%s: %s", name, text)
			}
		}
	})
}

// step sends a request, and compares the whole organization before and after.
func (s *sequence) step(t *rapid.T, a asked) {
	who := rapid.SampledFrom(append(slices.Clone(callers), "owner", "owner", "owner", "owner", "admin", "admin")).Draw(t, "who")
	before := s.last
	if before.rows == nil {
		before = s.look()
	}
	answer, err := s.replay.ask(newExchange(who, a.method, a.path, a.params))
	requireNoError(t, err)
	done := answer.status == http.StatusOK
	s.last = s.look()
	words := fmt.Sprintf("%s: %s %s %v: %d %s", who, a.method, a.path, a.params, answer.status, answer.text)
	if answer.status >= http.StatusInternalServerError && !a.mayBreakServer() {
		t.Fatal(words)
	}
	if !done {
		if difference := before.rows.difference(s.last.rows); difference != "" {
			t.Fatalf("%s\nwas refused, and changed something:\n%s", words, difference)
		}
		return
	}
	for id := range before.rows["Folders"] {
		if archived, inUse := folderAfter(s, id); archived && inUse && !strings.Contains(before.rows["Folders"][id], `"archived":true`) {
			t.Fatalf("%s\narchived the folder %d, which has channels", words, id)
		}
	}
	for use := range s.last.uses {
		if !before.uses[use] && !allowed(use, before.out, s.last.out) {
			t.Fatalf("%s\nbegan to use what is out of use: %s", words, use)
		}
	}
}

// folderAfter reports whether a folder is archived now, and whether a channel is in it.
func folderAfter(s *sequence, id int) (archived, inUse bool) {
	s.replay.server.Organization().Read(func(o *rules.Organization) {
		f, _ := o.Folders.Get(id)
		archived = f.Archived
		for _, c := range o.Channels.All() {
			inUse = inUse || c.FolderID != nil && *c.FolderID == id
		}
	})
	return archived, inUse
}

// seen is an organization between two requests: its rows, and its uses of deactivated objects.
type seen struct {
	rows whole
	uses uses
	out  map[string]bool
}

// look reads everything.
func (s *sequence) look() (now seen) {
	s.replay.server.Organization().Read(func(o *rules.Organization) {
		out := map[string]bool{}
		now = seen{wholeOf(o), usesOf(o), out}
		for id, u := range o.Users.All() {
			out[fmt.Sprint("person ", id)] = !u.Active
		}
		for id, g := range o.Groups.All() {
			out[fmt.Sprint("group ", id)] = g.Deactivated
		}
		for id, c := range o.Channels.All() {
			out[fmt.Sprint("channel ", id)] = c.Archived
		}
	})
	return now
}

// allowed reports whether a use may arise: the person was just deactivated, or the user of the object was just reactivated.
func allowed(use string, before, after map[string]bool) bool {
	place, what, _ := strings.Cut(use, ": ")
	user := strings.Join(strings.Fields(place)[:min(2, len(strings.Fields(place)))], " ")
	if before[user] && !after[user] {
		return true
	}
	return strings.HasPrefix(what, "person ") && !before[what] && after[what]
}

// sameEverywhere checks that the snapshot agrees with the single reads.
func (s *sequence) sameEverywhere(t *rapid.T) {
	get := func(path, field string, params map[string]any) any {
		x := newExchange("owner", "GET", path, nil)
		x.Query = params
		answer, done := s.send(x)
		if !done {
			t.Fatalf("GET %s: %s", path, answer.text)
		}
		return answer.body[field]
	}
	for _, pair := range []struct {
		part, field, path, answer string
		params                    map[string]any
	}{
		{"realm_user_groups", "realm_user_groups", "/user_groups", "user_groups", nil},
		{"channel_folders", "channel_folders", "/channel_folders", "channel_folders", map[string]any{"include_archived": true}},
		{"custom_profile_fields", "custom_profile_fields", "/realm/profile_fields", "custom_fields", nil},
		{"realm_domains", "realm_domains", "/realm/domains", "domains", nil},
		{"realm_emoji", "realm_emoji", "/realm/emoji", "emoji", nil},
		{"subscription", "subscriptions", "/users/me/subscriptions", "subscriptions", nil},
	} {
		if in, alone := s.part(pair.part, pair.field), get(pair.path, pair.answer, pair.params); compactAll(in) != compactAll(alone) {
			t.Fatalf("%s: the snapshot says\n%s\nGET %s says\n%s", pair.field, compactAll(in), pair.path, compactAll(alone))
		}
	}
	s.systemGroups(t, get)
	s.people(t, get)
}

// systemGroups checks that each group contains exactly the people of its role.
func (s *sequence) systemGroups(t *rapid.T, get func(string, string, map[string]any) any) {
	list, _ := get("/user_groups", "user_groups", nil).([]any)
	for _, item := range list {
		group := item.(map[string]any)
		name := group["name"].(string)
		if group["is_system_group"] != true {
			continue
		}
		want := []any{}
		s.replay.server.Organization().Read(func(o *rules.Organization) {
			for id, u := range o.Users.All() {
				in := map[string]bool{
					"role:owners": u.Role == 100, "role:administrators": u.Role == 200, "role:moderators": u.Role == 300,
					"role:members": u.Role == 400, "role:everyone": u.Role == 600,
					"role:fullmembers": u.Role == 400 && o.Settings().WaitingPeriodThreshold == 0, // all accounts are new
				}
				if u.Active && in[name] {
					want = append(want, float64(id))
				}
			}
		})
		if compactAll(group["members"]) != compactAll(want) {
			t.Fatalf("%s holds %v, not %v", name, group["members"], want)
		}
		if alone := get(fmt.Sprintf("/user_groups/%v/members", group["id"]), "members", map[string]any{"direct_member_only": true}); compactAll(alone) != compactAll(want) {
			t.Fatalf("%s holds %v, asked alone", name, alone)
		}
	}
}

// people checks that each account is the same in the list and alone. It must be in the right part of the snapshot, active
// or deactivated.
func (s *sequence) people(t *rapid.T, get func(string, string, map[string]any) any) {
	where := map[any]bool{}
	for field, active := range map[string]bool{"realm_users": true, "realm_non_active_users": false} {
		list, _ := s.part("realm_user", field).([]any)
		for _, item := range list {
			where[item.(map[string]any)["user_id"]] = active
		}
	}
	list, _ := get("/users", "members", nil).([]any)
	for _, item := range list {
		person := item.(map[string]any)
		if alone := get(fmt.Sprintf("/users/%v", person["user_id"]), "user", nil); compactAll(alone) != compactAll(person) {
			t.Fatalf("GET /users says %v, alone %v", compactAll(person), compactAll(alone))
		}
		if active, ok := where[person["user_id"]]; !ok || active != person["is_active"] {
			t.Fatalf("the snapshot has %v among the active: %v", compactAll(person), active)
		}
	}
}

// sequence is a server that receives random requests, one after the other.
type sequence struct {
	*rapid.T
	replay *replay
	last   seen // after the last step; nothing before the first
}

func newSequence(t *rapid.T) *sequence {
	server, err := New(Config{})
	requireNoError(t, err)
	requireNoError(t, server.Start("127.0.0.1:0"))
	t.Cleanup(func() { _ = server.Close() })
	return &sequence{T: t, replay: newReplay(server)}
}

// send sends a request, and fails the test if the server fails.
func (s *sequence) send(x exchange) (answer response, done bool) {
	got, err := s.replay.ask(x)
	requireNoError(s, err)
	if got.status >= http.StatusInternalServerError {
		s.Fatalf("%s %s %v: %d %s", x.Method, x.Path, x.Form, got.status, got.text)
	}
	return got, got.status == http.StatusOK
}

// part reads one part of the snapshot.
func (s *sequence) part(part, field string) any {
	got, done := s.send(newExchange("owner", "POST", "/register", map[string]any{
		"event_types": []string{}, "fetch_event_types": []string{part}, "client_capabilities": map[string]any{"notification_settings_null": true},
	}))
	if !done {
		s.Fatalf("the snapshot: %s", got.text)
	}
	return got.body[field]
}

// A request for the settings of new accounts changes only the settings that it names.
func TestUserDefaultsSequences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSequence(t)
		possible := map[string][]any{
			"color_scheme": {1.0, 2.0, 3.0, 0.0, 4.0, true}, "enter_sends": {true, false, 1.0},
			"email_notifications_batching_period_seconds": {1.0, 604800.0, 0.0, 604801.0},
			"emojiset":      {"google", "text", "nope"},
			"web_home_view": {"inbox", "nope", ""}, "notification_sound": {"none", "ding", "boom"},
		}
		setting := rapid.SampledFrom(slices.Sorted(maps.Keys(possible)))
		held := s.part("realm_user_settings_defaults", "realm_user_settings_defaults").(map[string]any)
		t.Repeat(map[string]func(*rapid.T){
			"change": func(t *rapid.T) {
				change := map[string]any{}
				for _, name := range rapid.SliceOfN(setting, 0, 3).Draw(t, "settings") {
					change[name] = rapid.SampledFrom(possible[name]).Draw(t, name)
				}
				who := rapid.SampledFrom([]string{"owner", "admin", "bot", "moderator"}).Draw(t, "who")
				if _, done := s.send(newExchange(who, "PATCH", "/realm/user_settings_defaults", change)); done {
					maps.Copy(held, change)
				}
			},
			"": func(t *rapid.T) {
				if now := s.part("realm_user_settings_defaults", "realm_user_settings_defaults"); !reflect.DeepEqual(now, any(held)) {
					t.Fatalf("the server holds %v, not %v", now, held)
				}
			},
		})
	})
}
