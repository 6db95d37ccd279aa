package sandbox

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

func TestOwnSettings(t *testing.T) {
	s := start(t, Config{})
	changed := map[string]any{
		"default_language": "zh-hans", "timezone": "Asia/Calcutta", "enable_login_emails": false,
		"enable_marketing_emails": false, "allow_private_data_export": true, "color_scheme": 2.0,
	}
	params := map[string]any{"full_name": "Lena  New ", "colour": "red"}
	for name, value := range changed {
		params[name] = value
	}
	got := must(t, s, "member", "PATCH", "/settings", params)
	if want := []any{"colour"}; !reflect.DeepEqual(got.body["ignored_parameters_unsupported"], want) {
		t.Errorf("ignored: %v", got.text)
	}
	settings := must(t, s, "member", "POST", "/register", map[string]any{"fetch_event_types": []string{"user_settings"}}).body["user_settings"].(map[string]any)
	for name, want := range changed {
		if settings[name] != want {
			t.Errorf("%s is %v, want %v", name, settings[name], want)
		}
	}
	me := must(t, s, "member", "GET", "/users/me", nil).body
	if me["full_name"] != "Lena  New" || me["timezone"] != "Asia/Calcutta" {
		t.Errorf("shown as %v in %v", me["full_name"], me["timezone"])
	}

	// New accounts start without them, and the defaults do not accept them.
	got = must(t, s, "admin", "PATCH", "/realm/user_settings_defaults", map[string]any{"default_language": "de", "timezone": "UTC"})
	if want := []any{"default_language", "timezone"}; !reflect.DeepEqual(got.body["ignored_parameters_unsupported"], want) {
		t.Errorf("ignored: %v", got.text)
	}
	defaults := must(t, s, "admin", "POST", "/register", map[string]any{"fetch_event_types": []string{"realm_user_settings_defaults"}}).body["realm_user_settings_defaults"].(map[string]any)
	if _, shown := defaults["timezone"]; shown || defaults["default_language"] != "en" || defaults["enable_login_emails"] != true {
		t.Errorf("the defaults are %v", defaults)
	}
}

func TestRefusedOwnSettings(t *testing.T) {
	const notListed = "Invalid %s: Value error, Not in the list of possible values"
	s := start(t, Config{})
	for _, c := range []struct{ params, msg string }{
		{"full_name=", "Name must not be empty!"},
		{"full_name=a*b&color_scheme=2", "Invalid characters in name!"},
		{"full_name=Lena|5", "Invalid format!"},
		{"full_name=" + strings.Repeat("x", 101), "Name too long!"},
		{"timezone=", "Invalid timezone: Value error, Not a recognized time zone"},
		{"timezone=Local", "Invalid timezone: Value error, Not a recognized time zone"},
		{"timezone=europe/berlin&default_language=xx", "Invalid timezone: Value error, Not a recognized time zone"},
		{"default_language=en_GB", "Invalid default_language"},
		{"notification_sound=nosuch&default_language=xx", "Invalid default_language"},
		{"color_scheme=99&default_language=xx", strings.ReplaceAll(notListed, "%s", "color_scheme")},
		{"web_home_view=nosuch", strings.ReplaceAll(notListed, "%s", "web_home_view")},
		{"web_animate_image_previews=nosuch", strings.ReplaceAll(notListed, "%s", "web_animate_image_previews")},
		{"resolved_topic_notice_auto_read_policy=nosuch", "Invalid resolved_topic_notice_auto_read_policy"},
		{"enable_login_emails=x", "enable_login_emails is not valid JSON"},
		{"enable_marketing_emails=null", "enable_marketing_emails is not a boolean"},
		{"allow_private_data_export=1&automatically_follow_topics_policy=9", "allow_private_data_export is not a boolean"},
		{"wildcard_mentions_notify=x&web_font_size_px=x", "web_font_size_px is not valid JSON"},
		{"email=nope&full_name=a*b", "Invalid address."},
		{"email=", "Invalid address."},
		{"email=LENA.FISCHER@example.com", "Already has an account."},
		{"email=notification-bot@" + rules.Host, "Reserved for system bots."},
		{"new_password=x", "Wrong password!"},
	} {
		if got := ask(t, s, "member", "PATCH", "/settings", queryParams(t, c.params)); got.status != http.StatusBadRequest || got.body["msg"] != c.msg {
			t.Errorf("%s: %s, want %q", c.params, got.text, c.msg)
		}
	}
	if got := ask(t, s, "admin", "PATCH", "/realm/user_settings_defaults", map[string]any{"web_home_view": "nosuch"}); got.body["msg"] != "Invalid web_home_view" {
		t.Errorf("as a default: %s", got.text)
	}
	member, _ := s.Credentials("member")
	if p, _ := s.Organization().Person(member.Email); p.FullName != "Lena Fischer" || s.Organization().Settings(member.Email)["color_scheme"] != 1 {
		t.Errorf("a refused request changed %+v", p)
	}
}

// A new address takes effect when its email is confirmed, which never happens here.
func TestOwnAddress(t *testing.T) {
	s := start(t, Config{})
	member, _ := s.Credentials("member")
	settings := func(as string, params map[string]any) string {
		return ask(t, s, as, "PATCH", "/settings", params).body["msg"].(string)
	}
	for _, email := range []string{" " + member.Email + " ", "fresh@example.com"} {
		if got := settings("member", map[string]any{"email": email}); got != "" {
			t.Errorf("%q: %s", email, got)
		}
	}
	must(t, s, "owner", "PATCH", "/realm", map[string]any{"disallow_disposable_email_addresses": true})
	if got := settings("member", map[string]any{"email": "x@mailinator.com"}); got != "Please use your real email address." {
		t.Error(got)
	}
	must(t, s, "admin", "PATCH", "/realm", map[string]any{"email_changes_disabled": true, "name_changes_disabled": true})
	if got := settings("member", map[string]any{"email": "bad"}); got != "Email address changes are disabled in this organization." {
		t.Error(got)
	}
	for as, want := range map[string]string{"member": "Lena Fischer", "admin": "Nobody Else"} {
		account, _ := s.Credentials(as)
		if got := settings(as, map[string]any{"full_name": "Nobody Else"}); got != "" {
			t.Errorf("a name that cannot be changed is no error: %s", got)
		}
		if p, ok := s.Organization().Person(account.Email); !ok || p.FullName != want {
			t.Errorf("%s is called %q", as, p.FullName)
		}
	}
}

func TestPasswords(t *testing.T) {
	s := start(t, Config{Accounts: map[string]Account{
		"owner":  {Email: "owner@example.com", FullName: "Olga", Role: 100, Password: "recording-owner-password"},
		"member": {Email: "member@example.com", FullName: "Mel", Role: 400, Password: "recording-member-password"},
		"bot":    {Email: "bot@example.com", FullName: "Bot", Role: 400, IsBot: true, Owner: "owner"},
	}})
	login := func(password string) response {
		return ask(t, s, "nobody", "POST", "/fetch_api_key", map[string]any{"username": "MEMBER@example.com", "password": password})
	}
	change := func(params map[string]any) string {
		return ask(t, s, "member", "PATCH", "/settings", params).body["msg"].(string)
	}
	for _, c := range []struct{ old, fresh, msg string }{
		{"", "strange-and-long", "Wrong password!"},
		{"wrong", "x", "Wrong password!"},
		{"recording-member-password", "password", "New password is too weak!"},
		{"recording-member-password", strings.Repeat("tZ9#kw", 17), "Internal server error"},
	} {
		if got := change(map[string]any{"old_password": c.old, "new_password": c.fresh}); got != c.msg {
			t.Errorf("%q to %q: %s, want %s", c.old, c.fresh, got, c.msg)
		}
	}
	if got := login("recording-member-password"); got.status != http.StatusOK {
		t.Fatalf("refused changes: %s", got.text)
	}
	// The password is changed although the name is refused.
	if got := change(map[string]any{"old_password": "recording-member-password", "new_password": "strange-and-long", "full_name": "a*b"}); got != "Invalid characters in name!" {
		t.Error(got)
	}
	if got := login("recording-member-password"); got.body["code"] != "AUTHENTICATION_FAILED" {
		t.Errorf("the old password: %s", got.text)
	}
	key := login("strange-and-long").body["api_key"]
	fresh := must(t, s, "member", "POST", "/users/me/api_key/regenerate", nil).body["api_key"]
	if again := login("strange-and-long").body["api_key"]; again != fresh || again == key {
		t.Errorf("the key was %v, became %v, and is %v", key, fresh, again)
	}
	must(t, s, "owner", "PATCH", "/realm", map[string]any{"authentication_methods": map[string]bool{"Email": false, "Dev": true}})
	if got := login("strange-and-long"); got.status != http.StatusUnauthorized || got.body["code"] != "PASSWORD_AUTH_DISABLED" {
		t.Errorf("without passwords: %s", got.text)
	}
	for _, request := range s.Journal().Requests(Filter{}) {
		if text, _ := json.Marshal(request); strings.Contains(string(text), "recording-") || strings.Contains(string(text), "strange-") {
			t.Errorf("the journal has a password: %s", text)
		}
	}
	if _, err := New(Config{Accounts: map[string]Account{
		"bot": {Email: "bot@example.com", FullName: "Bot", Role: 400, IsBot: true, Password: "x"},
	}}); err == nil {
		t.Error("a bot has a password")
	}
}

func TestSettingsOfOthers(t *testing.T) {
	s := start(t, Config{})
	member, _ := s.Credentials("member")
	whose := func(more map[string]any) map[string]any {
		target := map[string]any{"skip_if_already_edited": false}
		for name, value := range more {
			target[name] = value
		}
		return map[string]any{"target_users": target, "color_scheme": 2}
	}
	lena := map[string]any{"user_ids": []int{member.ID}}
	for name, c := range map[string]struct {
		who    string
		params map[string]any
		msg    string
	}{
		"not an administrator": {"moderator", whose(lena), "Must be an organization administrator"},
		"a bot":                {"bot", whose(lena), "This endpoint does not accept bot requests."},
		"nobody":               {"admin", whose(nil), "Either user_ids or group_ids must be provided."},
		"no such person":       {"admin", whose(map[string]any{"user_ids": []int{999999}}), "Invalid user ID: 999999"},
		"no such group":        {"admin", whose(map[string]any{"group_ids": []int{999999}}), "Invalid user group ID: 999999"},
	} {
		if got := ask(t, s, c.who, "PATCH", "/settings", c.params); got.status != 400 || got.body["msg"] != c.msg {
			t.Errorf("%s: %d %v, want %q", name, got.status, got.body, c.msg)
		}
	}
	must(t, s, "admin", "PATCH", "/settings", whose(lena))
	if got := s.Organization().Settings(member.Email)["color_scheme"]; got != 2 {
		t.Errorf("the member has %v", got)
	}

	// An older server does not know the parameter, so the settings were the caller's.
	s.SetFeatureLevel(featurelevel.TargetUsers - 1)
	admin, _ := s.Credentials("admin")
	got := must(t, s, "admin", "PATCH", "/settings", map[string]any{"target_users": map[string]any{}, "color_scheme": 3})
	if want := []any{"target_users"}; !reflect.DeepEqual(got.body["ignored_parameters_unsupported"], want) {
		t.Errorf("ignored: %v", got.body["ignored_parameters_unsupported"])
	}
	if mine, others := s.Organization().Settings(admin.Email)["color_scheme"], s.Organization().Settings(member.Email)["color_scheme"]; mine != 3 || others != 2 {
		t.Errorf("the administrator has %v, the member %v", mine, others)
	}
}

// New accounts start with the current defaults, and keep them. A value that the server has renamed is shown under its new
// name.
func TestNewAccount_Settings_FromDefaults(t *testing.T) {
	s := start(t, Config{FeatureLevel: featurelevel.HomeViewRecent - 1})
	defaults := func(scheme int, view string) {
		must(t, s, "admin", "PATCH", "/realm/user_settings_defaults", map[string]any{"color_scheme": scheme, "web_home_view": view})
	}
	defaults(2, "recent_topics")
	must(t, s, "owner", "POST", "/users", map[string]any{"email": "new@example.com", "full_name": "New", "password": "correct horse"})
	defaults(3, "inbox")
	admin, _ := s.Credentials("admin")
	for level, view := range map[int]string{featurelevel.HomeViewRecent - 1: "recent_topics", featurelevel.HomeViewRecent: "recent"} {
		s.SetFeatureLevel(level)
		if got := s.Organization().Settings("new@example.com"); got["color_scheme"] != 2 || got["web_home_view"] != view {
			t.Errorf("level %d: the new account has %v", level, got)
		}
	}
	if got := s.Organization().Settings(admin.Email); got["color_scheme"] != 1 || got["web_home_view"] != "inbox" {
		t.Errorf("the account that was there has %v", got)
	}
}

// A number that the database of a real server cannot store is not stored here (server-behavior §R25).
func TestNumbers_TooLarge_NotStored(t *testing.T) {
	s := start(t, Config{})
	id := createdChannel(t, s, "owner", "numbers")
	channel := fmt.Sprint("/streams/", id)
	for _, test := range []struct {
		method, path, name string
		stored, tooLarge   int
	}{
		{"PATCH", "/realm", "message_retention_days", math.MaxInt32, math.MaxInt32 + 1},
		{"PATCH", "/realm", "waiting_period_threshold", math.MaxInt32, math.MaxInt32 + 1},
		{"PATCH", "/realm", "message_content_edit_limit_seconds", math.MaxInt32, math.MaxInt32 + 1},
		{"PATCH", channel, "message_retention_days", math.MaxInt32, math.MaxInt32 + 1},
		{"PATCH", "/settings", "web_font_size_px", 0, -5},
		{"PATCH", "/realm/user_settings_defaults", "web_line_height_percent", math.MaxInt16, 99999999999},
		{"POST", "/invites/multiuse", "invite_expires_in_minutes", math.MaxInt32, 99999999999},
	} {
		must(t, s, "owner", test.method, test.path, map[string]any{test.name: test.stored})
		if got := ask(t, s, "owner", test.method, test.path, map[string]any{test.name: test.tooLarge}); got.status != http.StatusInternalServerError {
			t.Errorf("%s %s %s = %d: %d %s", test.method, test.path, test.name, test.tooLarge, got.status, got.text)
		}
	}
	if days := s.org.Settings().MessageRetentionDays; days != math.MaxInt32 {
		t.Errorf("the organization holds %v", days)
	}
}
