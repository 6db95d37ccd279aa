package sandbox

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// newBot creates a bot of the member Lena Fischer and returns its id.
func newBot(t *testing.T, s *Server, short string) int {
	t.Helper()
	got := must(t, s, "member", "POST", "/bots", map[string]any{"full_name": short, "short_name": short})
	return int(got.body["user_id"].(float64))
}

func TestListOfBots(t *testing.T) {
	s := start(t, Config{})
	id := newBot(t, s, "alerts")
	fields := func(level int) []string {
		s.SetFeatureLevel(level)
		bots := must(t, s, "owner", "POST", "/register", map[string]any{"fetch_event_types": []string{"realm_bot"}}).body["realm_bots"].([]any)
		for _, bot := range bots {
			if bot := bot.(map[string]any); bot["user_id"] == float64(id) {
				return slices.Sorted(maps.Keys(bot))
			}
		}
		t.Fatalf("level %d: the bot is not listed", level)
		return nil
	}
	kept := []string{"default_all_public_streams", "default_events_register_stream", "default_sending_stream", "services", "user_id"}
	removed := []string{"api_key", "avatar_url", "bot_type", "email", "full_name", "is_active", "owner_id"}
	if got := fields(featurelevel.SlimBots); !slices.Equal(got, kept) {
		t.Errorf("the fields are %v", got)
	}
	if got, want := fields(featurelevel.SlimBots-1), slices.Sorted(slices.Values(slices.Concat(kept, removed))); !slices.Equal(got, want) {
		t.Errorf("the fields are %v, want %v", got, want)
	}
}

func TestKeyOfABot(t *testing.T) {
	s := start(t, Config{})
	made := must(t, s, "member", "POST", "/bots", map[string]any{"full_name": "Alerts", "short_name": "alerts"}).body
	path := "/bots/" + userKey(int(made["user_id"].(float64))) + "/api_key"
	for _, account := range []string{"member", "admin", "owner"} {
		if got := must(t, s, account, "GET", path, nil); got.body["api_key"] != made["api_key"] {
			t.Errorf("%s: not the key", account)
		}
	}
	again := must(t, s, "member", "POST", path+"/regenerate", nil).body["api_key"]
	if got := must(t, s, "member", "GET", path, nil); got.body["api_key"] != again {
		t.Error("not the key that the bot has now")
	}
	member, _ := s.Credentials("member")
	for _, test := range []struct{ account, path, msg string }{
		{"admin", "/bots/999999/api_key", "No such bot"},
		{"admin", "/bots/" + userKey(member.ID) + "/api_key", "No such bot"},
		{"member2", path, "Insufficient permission"},
		{"guest", path, "Not allowed for guest users"},
		{"bot", path, "This endpoint does not accept bot requests."},
	} {
		if got := ask(t, s, test.account, "GET", test.path, nil); got.status != http.StatusBadRequest || got.body["msg"] != test.msg {
			t.Errorf("%s: %d %s, want %q", test.account, got.status, got.text, test.msg)
		}
	}
	s.SetFeatureLevel(featurelevel.BotAPIKey - 1)
	if got := ask(t, s, "owner", "GET", path, nil); got.status != http.StatusNotFound {
		t.Errorf("an older server answers %d %s", got.status, got.text)
	}
}

func TestKeyOfABotThatMakesUsers(t *testing.T) {
	s := start(t, Config{Accounts: map[string]Account{
		"owner":  {Email: "o@example.com", FullName: "O", Role: 100},
		"admin":  {Email: "a@example.com", FullName: "A", Role: 200},
		"signup": {Email: "s-bot@example.com", FullName: "S", Role: 200, IsBot: true, Owner: "admin", CanCreateUsers: true},
	}})
	bot, _ := s.Credentials("signup")
	path := "/bots/" + userKey(bot.ID) + "/api_key"
	if got := ask(t, s, "admin", "GET", path, nil); got.body["msg"] != "Must be an organization owner" {
		t.Errorf("an administrator: %s", got.text)
	}
	if got := must(t, s, "owner", "GET", path, nil); got.body["api_key"] != bot.APIKey {
		t.Error("an owner: not the key")
	}
}

func TestShortNameOfABot(t *testing.T) {
	s := start(t, Config{FeatureLevel: featurelevel.BotShortName})
	id := newBot(t, s, "alerts")
	newBot(t, s, "taken")
	must(t, s, "member", "DELETE", "/bots/"+userKey(newBot(t, s, "gone")), nil)
	path := "/bots/" + userKey(id)
	address := func() string {
		return must(t, s, "owner", "GET", "/users/"+userKey(id), nil).body["user"].(map[string]any)["email"].(string)
	}
	for _, test := range []struct{ account, short, msg string }{
		{"member", "", "Bad name or username"},
		{"member", "  ", "Bad name or username"},
		{"member", "a b", "Bad name or username"},
		{"member", "taken", "Email is already in use."},
		{"member", "GONE", "Email is already in use."},
		{"member2", "mine", "Insufficient permission"},
		{"bot", "mine", "This endpoint does not accept bot requests."},
	} {
		if got := ask(t, s, test.account, "PATCH", path, map[string]any{"short_name": test.short}); got.body["msg"] != test.msg {
			t.Errorf("%s, %q: %s, want %q", test.account, test.short, got.text, test.msg)
		}
	}
	must(t, s, "member", "PATCH", path, map[string]any{"short_name": "Alerts"}) // the same
	if got := address(); got != "alerts-bot@zulip.example.com" {
		t.Errorf("the address is %s", got)
	}
	for account, short := range map[string]string{"member": " alarms ", "admin": "bells"} {
		must(t, s, account, "PATCH", path, map[string]any{"short_name": short})
	}
	must(t, s, "member", "PATCH", path, map[string]any{"short_name": " alarms "})
	if got := address(); got != "alarms-bot@zulip.example.com" {
		t.Errorf("the address is %s", got)
	}
	must(t, s, "member", "POST", "/bots", map[string]any{"full_name": "Next", "short_name": "alerts"}) // the old address is free

	s.SetFeatureLevel(featurelevel.BotShortName - 1)
	got := must(t, s, "member", "PATCH", path, map[string]any{"short_name": "ignored"})
	if want := []any{"short_name"}; !reflect.DeepEqual(got.body["ignored_parameters_unsupported"], want) || address() != "alarms-bot@zulip.example.com" {
		t.Errorf("an older server: %s, and the address is %s", got.text, address())
	}
}

func TestBotsAreLetInFromALevelOn(t *testing.T) {
	const refused = "This endpoint does not accept bot requests."
	s := start(t, Config{})
	member, _ := s.Credentials("member")
	group := s.systemGroupID(t, "sre")
	for _, test := range []struct {
		method, path string
		params       map[string]any
		level        int
	}{
		{"POST", "/users/" + userKey(member.ID) + "/status", map[string]any{"status_text": "x"}, featurelevel.StatusByBots},
		{"GET", "/user_groups", nil, featurelevel.UserGroupsByBots},
		{"POST", "/user_groups/create", map[string]any{"name": "of a bot", "description": "", "members": []int{}}, featurelevel.UserGroupsByBots},
		{"GET", "/user_groups/" + userKey(group) + "/members", nil, featurelevel.UserGroupsByBots},
		{"GET", "/user_groups/" + userKey(group) + "/subgroups", nil, featurelevel.UserGroupsByBots},
		{"GET", "/user_groups/" + userKey(group) + "/members/" + userKey(member.ID), nil, featurelevel.UserGroupsByBots},
		// Those that ask for rights the bot lacks refuse it for them.
		{"PATCH", "/user_groups/" + userKey(group), map[string]any{"description": "x"}, featurelevel.UserGroupsByBots},
		{"POST", "/user_groups/" + userKey(group) + "/members", map[string]any{"add": []int{member.ID}}, featurelevel.UserGroupsByBots},
		{"POST", "/user_groups/" + userKey(group) + "/subgroups", map[string]any{"delete": []int{}}, featurelevel.UserGroupsByBots},
	} {
		s.SetFeatureLevel(test.level - 1)
		if got := ask(t, s, "bot", test.method, test.path, test.params); got.body["msg"] != refused {
			t.Errorf("%s %s, level %d: %s", test.method, test.path, test.level-1, got.text)
		}
		s.SetFeatureLevel(test.level)
		if got := ask(t, s, "bot", test.method, test.path, test.params); got.body["msg"] == refused {
			t.Errorf("%s %s, level %d: %s", test.method, test.path, test.level, got.text)
		}
	}
	if got := ask(t, s, "bot", "POST", "/users/me/status", map[string]any{"status_text": "x"}); got.body["msg"] != refused {
		t.Errorf("a bot's own status: %s", got.text)
	}
	if got := ask(t, s, "guest", "GET", "/user_groups", nil); got.body["msg"] != "Not allowed for guest users" {
		t.Errorf("a guest: %s", got.text)
	}
}
