package sandbox

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
)

func TestRightsOfTheServersShell(t *testing.T) {
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

func TestGuestsReadOfThoseTheyMaySee(t *testing.T) {
	s := start(t, Config{})
	members := s.systemGroupID(t, "role:members")
	must(t, s, "owner", "PATCH", "/realm", map[string]any{"can_access_all_users_group": map[string]any{"new": members}})
	// general holds everybody but the bots; without it the guest is alone.
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
		slices.Sort(all)
		return slices.Compact(all)
	}
	want := []string{"Paul Dubois", "Terraform Bot", "Unknown user"}
	if got := names("guest", "/users", "members", nil); !slices.Equal(got, want) {
		t.Errorf("the list: %v, want %v", got, want)
	}
	complete := map[string]any{"fetch_event_types": []string{"realm_user"}}
	if got := names("guest", "/register", "realm_users", complete); !slices.Equal(got, want) {
		t.Errorf("the snapshot: %v, want %v", got, want)
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

func TestProfileValuesAreChecked(t *testing.T) {
	s := start(t, Config{})
	member, _ := s.Credentials("member")
	for sent, want := range map[string]string{
		`[{"id":1}]`:                          `profile_data[0]["value"] field is missing: Field required`,
		`[{"id":"1","value":"x"}]`:            `profile_data[0]["id"] is not an integer`,
		`{"id":1,"value":"x"}`:                `profile_data is not a list`,
		`[{"id":4242,"value":null}]`:          `Field id 4242 not found.`,
		`[{"id":4242,"value":["x"]}, "more"]`: `profile_data[0]["value"]["str"] is not a string`,
	} {
		got := ask(t, s, "admin", "PATCH", "/users/"+userKey(member.ID), map[string]any{"profile_data": json.RawMessage(sent)})
		if got.body["msg"] != want {
			t.Errorf("%s: %v, want %q", sent, got.body["msg"], want)
		}
	}
}

func TestFieldDataKeepsItsOrder(t *testing.T) {
	for sent, want := range map[string]string{
		`{ "b": {"text": "ä <1>", "order": "1"}, "a": {"order":"2","text":"\u00fc"} }`: `{"b":{"text":"ä <1>","order":"1"},"a":{"order":"2","text":"ü"}}`,
		`{}`:                      `{}`,
		`{"subtype" : "custom" }`: `{"subtype":"custom"}`,
	} {
		data, err := fieldData(sent, "field_data")
		if err != nil || data.Text != want {
			t.Errorf("%s: %s, want %s (%v)", sent, data.Text, want, err)
		}
	}
	for sent, want := range map[string]string{
		`[]`:                  `field_data is not a dict`,
		`{"0":1}`:             `field_data["0"]["dict[str,str]"] is not a dict`,
		`{"0":{"text":null}}`: `field_data["0"]["dict[str,str]"]["text"] is not a string`,
	} {
		if _, err := fieldData(sent, "field_data"); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", sent, err, want)
		}
	}
}

func TestOlderServersKnowLess(t *testing.T) {
	s := start(t, Config{FeatureLevel: 200})
	member, _ := s.Credentials("member")
	path := "/users/" + userKey(member.ID)
	for _, request := range []struct{ method, path string }{
		{"GET", path + "/status"}, {"PATCH", "/users/" + member.Email}, {"PATCH", "/realm/linkifiers"},
	} {
		if got := ask(t, s, "admin", request.method, request.path, nil); got.status != http.StatusNotFound && got.status != http.StatusMethodNotAllowed {
			t.Errorf("%s %s: %d", request.method, request.path, got.status)
		}
	}
	got := must(t, s, "admin", "PATCH", "/realm", map[string]any{"name": "Old", "require_unique_names": true})
	if ignored := got.body["ignored_parameters_unsupported"]; !slices.Equal(ignored.([]any), []any{"require_unique_names"}) {
		t.Errorf("ignored %v", ignored)
	}
	realm := must(t, s, "admin", "POST", "/register", map[string]any{"fetch_event_types": []string{"realm"}}).body
	if realm["realm_name"] != "Old" || realm["realm_require_unique_names"] != nil || realm["realm_authentication_methods"].(map[string]any)["Email"] != true {
		t.Errorf("realm of an older server: %v", realm)
	}
}

// That somebody is deactivated is said before who may not deactivate.
func TestDeactivationOfTheDeactivated(t *testing.T) {
	s := start(t, Config{})
	member, _ := s.Credentials("member")
	owner, _ := s.Credentials("owner")
	bot, _ := s.Credentials("bot")
	gone := "/users/" + userKey(member.ID)
	must(t, s, "admin", "DELETE", gone, nil)
	for _, as := range []string{"guest", "member2", "moderator", "bot", "admin", "owner"} {
		if got := ask(t, s, as, "DELETE", gone, nil); got.body["msg"] != "User is deactivated" {
			t.Errorf("%s: %s", as, got.text)
		}
	}
	for _, c := range []struct{ as, path, msg string }{
		{"guest", "/users/" + userKey(bot.ID), "No such user"},
		{"guest", "/users/" + userKey(owner.ID), "Insufficient permission"},
		{"admin", "/users/" + userKey(owner.ID), "Must be an organization owner"},
		{"guest", gone + "/reactivate", "Insufficient permission"},
	} {
		method := map[bool]string{true: "POST", false: "DELETE"}[c.path == gone+"/reactivate"]
		if got := ask(t, s, c.as, method, c.path, nil); got.body["msg"] != c.msg {
			t.Errorf("%s %s %s: %s, want %s", c.as, method, c.path, got.text, c.msg)
		}
	}
}
