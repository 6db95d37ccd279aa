package sandbox

import (
	"reflect"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

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

	// Before, the parameter was unknown, and the settings were the caller's.
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

// New accounts start with the defaults of their time, and keep them. A word that the server calls otherwise by then is
// shown as it is called now.
func TestNewAccountsStartWithTheDefaults(t *testing.T) {
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
