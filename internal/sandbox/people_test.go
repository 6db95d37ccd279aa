package sandbox

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

func TestUser_ShellPermissions_Granted(t *testing.T) {
	s := start(t, Config{Accounts: map[string]Account{
		"admin": {
			Email: "admin@example.com", FullName: "Ada", Role: 200, CanCreateUsers: true, CanChangeUserEmails: true,
		},
	}})
	made := must(t, s, "admin", "POST", "/users", map[string]any{
		"email": "new@example.com", "password": "correct horse", "full_name": "New",
	})
	path := "/users/" + userKey(int(made.body["user_id"].(float64)))
	must(t, s, "admin", "PATCH", path, map[string]any{"new_email": "newer@example.com"})
	if p, ok := s.Organization().Person("newer@example.com"); !ok || p.Role != 400 || !p.Active {
		t.Errorf("made %+v", p)
	}
}

func TestGuest_ReadingUsers_VisibleOnly(t *testing.T) {
	s := start(t, Config{})
	members := s.systemGroupID(t, "role:members")
	must(t, s, "owner", "PATCH", "/realm", map[string]any{"can_access_all_users_group": map[string]any{"new": members}})
	// general contains everyone except the bots; without it the guest is alone.
	must(t, s, "guest", "DELETE", "/users/me/subscriptions", map[string]any{"subscriptions": []string{"general"}})

	names := func(as, path, list string, params map[string]any) []string {
		method := "GET"
		if path == "/register" {
			method = "POST"
		}
		var all []string
		for _, row := range must(t, s, as, method, path, params).body[list].([]any) {
			all = append(all, row.(map[string]any)["full_name"].(string))
		}
		return slices.Compact(all)
	}
	want := []string{"Paul Dubois", "Terraform Bot", "Unknown user"} // hidden people come last
	if got := names("guest", "/users", "members", nil); !slices.Equal(got, want) {
		t.Errorf("the list: %v, want %v", got, want)
	}
	complete := map[string]any{"fetch_event_types": []string{"realm_user"}}
	if got := names("guest", "/register", "realm_users", complete); !slices.Equal(got, []string{"Unknown user", "Paul Dubois", "Terraform Bot"}) {
		t.Errorf("the snapshot: %v", got)
	}
	complete["client_capabilities"] = map[string]bool{"notification_settings_null": true, "user_list_incomplete": true}
	if got := names("guest", "/register", "realm_users", complete); !slices.Equal(got, want[:2]) {
		t.Errorf("the snapshot for who takes an incomplete one: %v, want %v", got, want[:2])
	}
	member, _ := s.Credentials("member")
	if got := ask(t, s, "guest", "GET", "/users/"+userKey(member.ID), nil); got.body["msg"] != "Insufficient permission" {
		t.Errorf("one person: %s", got.text)
	}
}

// The server lists people, bots and domains in no particular order, and a row moves when it is written (server-behavior
// §R26). In a snapshot, people are sorted by ID.
func TestLists_RowWritten_Last(t *testing.T) {
	s := start(t, Config{})
	listed := func(method, path, list, key string, params map[string]any) (values []any) {
		for _, row := range must(t, s, "owner", method, path, params).body[list].([]any) {
			values = append(values, row.(map[string]any)[key])
		}
		return values
	}
	snapshot := map[string]any{"fetch_event_types": []string{"realm_user", "realm_bot"}}
	bot, _ := s.Credentials("bot")
	other := newBot(t, s, "other")
	for _, domain := range []string{"a.example", "b.example"} {
		must(t, s, "owner", "POST", "/realm/domains", map[string]any{"domain": domain, "allow_subdomains": false})
	}
	before := listed("GET", "/users", "members", "user_id", nil)

	first := before[0]
	must(t, s, "owner", "PATCH", fmt.Sprint("/users/", first), map[string]any{"full_name": "Renamed"})
	must(t, s, "owner", "PATCH", "/realm/domains/a.example", map[string]any{"allow_subdomains": true})
	must(t, s, "owner", "PATCH", fmt.Sprint("/bots/", bot.ID), map[string]any{"full_name": "Renamed too"})
	moved := slices.DeleteFunc(slices.Clone(before), func(id any) bool { return id == first || id == float64(bot.ID) })
	moved = append(moved, first, float64(bot.ID))
	for name, test := range map[string]struct{ got, want []any }{
		"people":   {listed("GET", "/users", "members", "user_id", nil), moved},
		"snapshot": {listed("POST", "/register", "realm_users", "user_id", snapshot), before},
		"bots":     {listed("POST", "/register", "realm_bots", "user_id", snapshot), []any{float64(other), float64(bot.ID)}},
		"domains":  {listed("GET", "/realm/domains", "domains", "domain", nil), []any{"b.example", "a.example"}},
	} {
		if !slices.Equal(test.got, test.want) {
			t.Errorf("%s: %v, want %v", name, test.got, test.want)
		}
	}
}

func TestOwnProfileAndAccount(t *testing.T) {
	s := start(t, Config{})
	f := must(t, s, "admin", "POST", "/realm/profile_fields", map[string]any{"name": "Team", "field_type": 1}).body["id"].(float64)
	must(t, s, "member", "PATCH", "/users/me/profile_data", map[string]any{"data": []any{map[string]any{"id": f, "value": "Ops"}}})
	key := userKey(int(f))
	profile := func() map[string]any {
		return must(t, s, "member", "GET", "/users/me", nil).body["profile_data"].(map[string]any)
	}
	if got, _ := profile()[key].(map[string]any); got["value"] != "Ops" {
		t.Errorf("profile %v", profile())
	}
	must(t, s, "member", "DELETE", "/users/me/profile_data", map[string]any{"data": []any{f}})
	if got := profile(); len(got) != 0 {
		t.Errorf("profile %v", got)
	}
	must(t, s, "member", "DELETE", "/users/me", nil)
	if got := ask(t, s, "member", "GET", "/users/me", nil); got.status != http.StatusUnauthorized {
		t.Errorf("after leaving: %d", got.status)
	}
	if got := ask(t, s, "owner", "DELETE", "/users/me", nil); got.body["code"] != "CANNOT_DEACTIVATE_LAST_USER" || got.body["is_last_owner"] != true {
		t.Errorf("the only owner leaves: %s", got.text)
	}
}

// newBot creates a bot of the member Lena Fischer and returns its id.
func newBot(t *testing.T, s *Server, short string) int {
	t.Helper()
	got := must(t, s, "member", "POST", "/bots", map[string]any{"full_name": short, "short_name": short})
	return int(got.body["user_id"].(float64))
}

func TestBotKey_Read_ByPermission(t *testing.T) {
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

func TestBotKey_UserCreator_OwnersOnly(t *testing.T) {
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

func TestBotShortName_Invalid_Refused(t *testing.T) {
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

func TestBots_NewEndpoints_AllowedByLevel(t *testing.T) {
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
		// Endpoints that need a permission which the bot lacks refuse it for that reason.
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

// A list that names one group twice is not collapsed to the group, and equals no group. A list that names it once is
// collapsed.
func TestPermission_DuplicateGroup_NotCollapsed(t *testing.T) {
	s := start(t, Config{})
	channel := createdChannel(t, s, "owner", "x")
	group := s.systemGroupID(t, "role:moderators")
	named, once := any(float64(group)), map[string]any{"direct_members": []any{}, "direct_subgroups": []any{float64(group)}}
	twice := map[string]any{"direct_members": []any{}, "direct_subgroups": []any{group, group}}
	path := fmt.Sprintf("/streams/%d", channel)

	shown := func(path, key string) any {
		return must(t, s, "owner", "GET", path, nil).body["stream"].(map[string]any)[key]
	}
	for i, c := range []struct{ old, fresh, msg, want any }{
		{nil, twice, "", once},
		{twice, twice, "", once},
		{once, twice, "'old' value does not match the expected value.", once},
		{named, twice, "'old' value does not match the expected value.", once},
		{twice, once, "", named},
		{named, twice, "", once},
		{nil, named, "", named},
	} {
		change := map[string]any{"new": c.fresh}
		if c.old != nil {
			change["old"] = c.old
		}
		got := ask(t, s, "owner", "PATCH", path, map[string]any{"can_administer_channel_group": change})
		if held := shown(path, "can_administer_channel_group"); got.body["msg"] != c.msg || !reflect.DeepEqual(held, c.want) {
			t.Errorf("[%d] %s, and the channel has %v, want %v", i, got.text, held, c.want)
		}
	}
	made := must(t, s, "owner", "POST", "/channels/create", map[string]any{"name": "y", "subscribers": []int{}, "can_administer_channel_group": twice}).body["id"]
	if held := shown(fmt.Sprintf("/streams/%v", made), "can_administer_channel_group"); !reflect.DeepEqual(held, once) {
		t.Errorf("a new channel has %v, want %v", held, once)
	}
	got := must(t, s, "owner", "PATCH", "/realm", map[string]any{"can_create_groups": map[string]any{"new": twice}})
	if answered := got.body["can_create_groups"]; compactAll(answered) != compactAll(twice) {
		t.Errorf("the answer repeats %v, want %v", answered, twice)
	}
	if got := ask(t, s, "owner", "PATCH", "/realm", map[string]any{"can_access_all_users_group": map[string]any{"new": twice}}); got.body["code"] != "SYSTEM_GROUP_REQUIRED" {
		t.Errorf("where only groups of roles are taken: %s", got.text)
	}
}
