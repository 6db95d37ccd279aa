package organization_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// The tests named TestProtocol… run the resource through the plugin protocol, in this process and without a CLI. The
// organization is the sandbox's example: its owner is the account of the provider unless a test says otherwise.

const organizationTypeName = "zulip_organization"

// organizationHeld returns the server's organization.
func organizationHeld(t *testing.T, o *acctest.Organization) *zulip.Realm {
	t.Helper()
	return o.Snapshot(t, zulip.FetchRealm).Realm
}

// organizationByHand changes the organization outside Terraform, with the parameters of a request.
func organizationByHand(t *testing.T, o *acctest.Organization, params map[string]string) {
	t.Helper()
	o.Call(t, http.MethodPatch, "/realm", params)
}

func text(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	acctest.NoError(t, err)
	return string(data)
}

func role(t *testing.T, o *acctest.Organization, name string) zulip.GroupSettingValue {
	t.Helper()
	return zulip.NamedGroup(o.SystemGroup(t, name))
}

func expectParams(t *testing.T, sent *acctest.Sent, want ...map[string]string) {
	t.Helper()
	all := []map[string]string{}
	for _, request := range sent.Writes() {
		all = append(all, request.Params)
	}
	if !reflect.DeepEqual(all, append([]map[string]string{}, want...)) {
		t.Errorf("sent %v\nnot %v", all, want)
	}
}

// wire maps attributes to settings with another name in the API, at the sandbox's own level.
var wire = map[string]string{"giphy_rating": "gif_rating_policy"}

// onWire returns the name of a setting in the API.
func onWire(name string) string { return cmp.Or(wire[name], name) }

// trial is one setting: its new value, the parameters of the request, and a change outside Terraform.
type trial struct {
	to           any
	sends, drift string
}

// trials has every setting that is not a permission.
func trials(t *testing.T, o *acctest.Organization) map[string]trial {
	private, public := o.MustChannel(t, "leads").ID, o.MustChannel(t, "general").ID
	all := map[string]trial{
		"name":                                        {"Beispiel AG", "Beispiel AG", "Other"},
		"description":                                 {"**What** we do", "**What** we do", ""},
		"org_type":                                    {"nonprofit", "60", "1000"},
		"default_language":                            {"de", "de", "en"},
		"default_code_block_language":                 {"go", "go", ""},
		"welcome_message_custom_text":                 {"Welcome!", "Welcome!", ""},
		"digest_weekday":                              {"sunday", "6", "0"},
		"topics_policy":                               {"disable_empty_topic", "disable_empty_topic", "allow_empty_topic"},
		"message_retention_days":                      {"30", "30", `"unlimited"`},
		"giphy_rating":                                {"pg-13", "3", "0"},
		"default_avatar_source":                       {"gravatar", "G", "J"},
		"media_preview_size":                          {int64(200), "200", "150"},
		"video_chat_provider":                         {"disabled", "0", "1"},
		"jitsi_server_url":                            {"https://meet.example.com", `"https://meet.example.com"`, `"default"`},
		"waiting_period_threshold":                    {int64(7), "7", "0"},
		"message_content_edit_limit_seconds":          {"unlimited", `"unlimited"`, "600"},
		"message_content_delete_limit_seconds":        {"60", "60", `"unlimited"`},
		"message_edit_history_visibility_policy":      {"moves", "moves", "none"},
		"move_messages_within_stream_limit_seconds":   {"3600", "3600", "60"},
		"move_messages_between_streams_limit_seconds": {"unlimited", `"unlimited"`, "60"},
		"new_stream_announcements_stream_id":          {public, fmt.Sprint(public), "-1"},
		"signup_announcements_stream_id":              {private, fmt.Sprint(private), "-1"},
		"zulip_update_announcements_stream_id":        {public, fmt.Sprint(public), "-1"},
		"moderation_request_channel_id":               {private, fmt.Sprint(private), "-1"},
		"authentication_methods": {
			[]any{"Email", "GitHub"},
			`{"Apple":false,"Dev":false,"Email":true,"GitHub":true,"GitLab":false,"Google":false,"OpenID Connect":false}`,
			`{"Email":true,"Apple":true,"Dev":true,"GitHub":true,"GitLab":true,"Google":true,"OpenID Connect":true}`,
		},
	}
	for name, raw := range organizationHeld(t, o).Settings {
		if flag := string(raw); flag == "true" || flag == "false" {
			all[name] = trial{flag == "false", fmt.Sprint(flag == "false"), flag}
		}
	}
	for _, fact := range []string{ // no one can set these
		"presence_disabled", "push_notifications_enabled", "owner_full_content_access", "email_auth_enabled",
		"password_auth_enabled", "allow_edit_history", "mandatory_topics",
	} {
		delete(all, fact)
	}
	for _, setting := range permission.Organizations.Settings {
		to := "role:moderators"
		switch {
		case len(setting.Roles) > 1:
			to = setting.Roles[1]
		case setting.Default == to:
			to = "role:administrators"
		}
		old := organizationHeld(t, o).Permissions[setting.Name]
		change := zulip.GroupSettingChange{New: role(t, o, to), Old: &old}
		all[setting.Name] = trial{[]any{to}, text(t, change), text(t, zulip.GroupSettingChange{New: old})}
	}
	return all
}

// Every setting and permission that the server accepts is an attribute. All are set together, in the server's form.
// Each change outside Terraform is shown separately, and repaired with the same parameter.
func TestProtocolOrganizationEvery(t *testing.T) {
	o, run := at(t, featurelevel.Newest)
	all := trials(t, o)
	config, params := values{}, map[string]string{}
	for name, trial := range all {
		config[name], params[onWire(name)] = trial.to, trial.sends
	}
	settable := slices.Sorted(maps.Keys(all))
	isOwn := func(name string) bool { return name == "on_destroy" } // not a setting of the server
	if got := slices.DeleteFunc(run.Process().Configurable(organizationTypeName), isOwn); !slices.Equal(got, settable) {
		t.Errorf("attributes:\n%v\nthe server has\n%v", got, settable)
	}
	sent := o.Sent()
	run.MustApply(config)
	expectParams(t, sent, params)
	for _, name := range acctest.Sample(settable) {
		t.Run(name, func(t *testing.T) {
			organizationByHand(t, o, map[string]string{onWire(name): all[name].drift})
			plan := run.MustPlan(config)
			if changes := plan.Changes(); !slices.Equal(changes, []string{name}) {
				t.Errorf("planned: %v", changes)
			}
			sent := o.Sent()
			run.Apply(plan).ExpectNoError(t)
			expectParams(t, sent, map[string]string{onWire(name): all[name].sends})
		})
	}
	if plan := run.MustPlan(config); !plan.Empty() {
		t.Errorf("at the end: %v", plan.Changes())
	}
}

// A plan that takes a permission from the provider's account says so, also while it does not know yet whom the permission names.
func TestProtocolOrganization_OwnPermissionTaken_Warning(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for name, test := range map[string]struct {
		invite []any
		isSaid bool
	}{
		"unknown":             {[]any{acctest.Unknown}, true},
		"another":             {[]any{"user:kenji.sato@example.com"}, true},
		"unknown, and itself": {[]any{acctest.Unknown, "role:owners"}, false},
	} {
		_, diags := o.NewRun(t, "zulip_organization").Plan(values{"can_invite_users_group": test.invite, "can_mention_many_users_group": []any{"role:nobody"}})
		diags.ExpectNoError(t)
		if isSaid := strings.Contains(diags.String(), "include the account: can_invite_users_group. "); isSaid != test.isSaid {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

// An administrator plans an owner's setting whose value is not known yet.
func TestProtocolOrganization_UnknownValueForOwners_Announced(t *testing.T) {
	run := acctest.StartSandbox(t, sandbox.Config{}).As(t, "admin").NewRun(t, "zulip_organization")
	plan, diags := run.Plan(values{"can_invite_users_group": []any{acctest.Unknown}, "description": "Press"})
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "can_invite_users_group", "cannot set can_invite_users_group", "The apply will fail, unless the values that this plan does not know yet are the current ones")
	plan.Config["can_invite_users_group"] = []any{"role:moderators"}
	run.Apply(plan).ExpectError(t, "can_invite_users_group", "Only owners of the organization can set")
}

// The warning about newly managed attributes names whom the same plan creates.
func TestProtocolOrganization_NewlyManagedNamesNewUser_Described(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run, user := o.NewRun(t, "zulip_organization"), o.NewRun(t, "zulip_user")
	p := run.Process()
	_, diags := p.Plan("zulip_user", user.State, values{"email": "nadia@example.com", "full_name": "Nadia"})
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_organization", nil, values{"can_create_groups": []any{"user:nadia@example.com", "role:administrators"}})
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", "Newly managed attributes", `the configuration asks for: ["role:administrators", "user:nadia@example.com"]`)
}

func TestProtocolOrganizationDataSource(t *testing.T) {
	o, run := acctest.StartRun(t, organizationTypeName)
	run.MustApply(values{"message_content_edit_limit_seconds": "unlimited", "can_create_groups": []any{"role:moderators"}})
	shown := run.Process().MustReadData(organizationTypeName, values{})
	delete(run.State.Values, "on_destroy")
	delete(run.State.Values, "reset_permissions")
	if !reflect.DeepEqual(shown, run.State.Values) {
		t.Errorf("shown:\n%v\nthe resource has\n%v", shown, run.State.Values)
	}
	o.As(t, "member").NewRun(t, organizationTypeName).Process().MustReadData(organizationTypeName, values{})
}

// at starts a server of a feature level, and a run with the organization.
func at(t *testing.T, level int) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
	run := o.NewRun(t, organizationTypeName)
	return o, run
}

// The setting has one name below a level and another from this level on. It is read, changed and repaired on both
// sides. The server silently ignores the other name.
func TestProtocolOrganizationGIFRating(t *testing.T) {
	for _, test := range []struct {
		level       int
		name, other string
	}{
		{featurelevel.GIFRatingPolicy - 1, "giphy_rating", "gif_rating_policy"},
		{featurelevel.GIFRatingPolicy, "gif_rating_policy", "giphy_rating"},
	} {
		o, run := at(t, test.level)
		answer := o.Call(t, http.MethodPatch, "/realm", map[string]string{test.other: "4"})
		if ignored, _ := answer["ignored_parameters_unsupported"].([]any); !slices.Equal(ignored, []any{test.other}) {
			t.Errorf("level %d ignores %v", test.level, ignored)
		}
		settings := organizationHeld(t, o).Settings
		if _, there := settings[test.other]; there || string(settings[test.name]) != "1" {
			t.Errorf("level %d shows %s and %s", test.level, settings[test.name], settings[test.other])
		}
		sent := o.Sent()
		run.MustApply(values{"giphy_rating": "pg"})
		expectParams(t, sent, map[string]string{test.name: "2"})
		organizationByHand(t, o, map[string]string{test.name: "4"})
		sent = o.Sent()
		run.MustApply(values{"giphy_rating": "pg"})
		expectParams(t, sent, map[string]string{test.name: "2"})
		shown := run.Process().MustReadData(organizationTypeName, values{})
		if shown["giphy_rating"] != "pg" {
			t.Errorf("level %d: the data source shows %v", test.level, shown["giphy_rating"])
		}
	}
}

// If the server's level is not known, the setting is sent under the name that the server shows.
func TestProtocolOrganizationGIFRatingLevelUnknown(t *testing.T) {
	for level, name := range map[int]string{442: "giphy_rating", 500: "gif_rating_policy"} {
		o, run := at(t, level)
		settings := o.Call(t, http.MethodGet, "/server_settings", nil)
		delete(settings, "zulip_feature_level")
		body, err := json.Marshal(settings)
		acctest.NoError(t, err)
		o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: "/server_settings", Action: sandbox.FaultStatus, Status: http.StatusOK, Body: string(body)})
		sent := o.Sent()
		run.MustApply(values{"giphy_rating": "r"})
		expectParams(t, sent, map[string]string{name: "4"})
	}
}

// After an upgrade of the server, the state is unchanged, and nothing is planned or sent.
func TestProtocolOrganizationUpgrade(t *testing.T) {
	o, run := at(t, 442)
	config := values{"giphy_rating": "pg-13", "name": "Example", "can_create_groups": []any{"role:moderators"}}
	run.MustApply(config)
	for _, name := range []string{"default_avatar_source", "media_preview_size", "workplace_users_group"} {
		if held, ok := run.State.Values[name]; !ok || held != nil {
			t.Errorf("%s is %v on a server that does not have it", name, held)
		}
	}
	for _, level := range []int{featurelevel.NewestRelease, featurelevel.Newest} {
		o.Sandbox.SetFeatureLevel(level)
		sent := o.Sent()
		if plan := run.MustPlan(config); !plan.Empty() {
			t.Errorf("level %d changes %v", level, plan.Changes())
		}
		sent.Expect(t)
		if got := run.State.Values; got["giphy_rating"] != "pg-13" || got["default_avatar_source"] != "jdenticon" || got["media_preview_size"] != int64(100) ||
			!reflect.DeepEqual(got["workplace_users_group"], []any{"role:everyone"}) {
			t.Errorf("level %d: the state holds %v", level, got)
		}
	}
	config["media_preview_size"], config["default_avatar_source"] = 150, "gravatar"
	sent := o.Sent()
	run.MustApply(config)
	expectParams(t, sent, map[string]string{"media_preview_size": "150", "default_avatar_source": "G"})
	if settings := organizationHeld(t, o).Settings; string(settings["media_preview_size"]) != "150" || string(settings["default_avatar_source"]) != `"G"` {
		t.Errorf("the server holds %v", settings)
	}
}

// The server refuses newer settings that it does not have.
func TestOrganization_NewerSettings_Checked(t *testing.T) {
	o, _ := at(t, 500)
	for name, value := range map[string]string{"default_avatar_source": "U", "media_preview_size": "120"} {
		_, err := o.Client.UpdateRealm(context.Background(), realmUpdate(name, value))
		if !zulip.IsMessage(err, "Invalid "+name) {
			t.Errorf("%s = %s: %v", name, value, err)
		}
	}
	o, _ = at(t, 442)
	answer := o.Call(t, http.MethodPatch, "/realm", map[string]string{"default_avatar_source": "G", "media_preview_size": "150", "workplace_users_group": "1"})
	if ignored, _ := answer["ignored_parameters_unsupported"].([]any); len(ignored) != 3 {
		t.Errorf("level 442 ignores %v", ignored)
	}
}

func realmUpdate(name, value string) (update zulip.RealmUpdate) {
	update.Settings.Text(name, value)
	return update
}

// Each provider of calls has a name, which is sent if the server is set up for it.
func TestProtocolOrganizationVideoChatProviders(t *testing.T) {
	words := map[string]string{
		"disabled": "0", "jitsi_meet": "1", "zoom": "3", "big_blue_button": "4", "zoom_server_to_server": "5",
		"constructor_groups": "6", "nextcloud_talk": "7", "webex": "8",
	}
	var all []string
	for word := range words {
		all = append(all, word)
	}
	o := acctest.StartSandbox(t, sandbox.Config{VideoChatProviders: all})
	run := o.NewRun(t, organizationTypeName)
	for word, number := range words {
		run.MustApply(values{"video_chat_provider": word})
		if got := string(organizationHeld(t, o).Settings["video_chat_provider"]); got != number {
			t.Errorf("%s: the server holds %s, not %s", word, got, number)
		}
	}
	run.MustApply(values{"video_chat_provider": "zoom"})
	o.Sandbox.SetFeatureLevel(459)
	run.ExpectRefused(values{"video_chat_provider": "constructor_groups"}, "video_chat_provider", "constructor_groups", "feature level 460")
}

// The permission that no server accepts is shown, but cannot be set, and is not sent with other permissions.
func TestProtocolOrganizationWorkplaceUsers(t *testing.T) {
	o, run := at(t, featurelevel.WorkplaceUsers)
	if slices.Contains(run.Process().Configurable(organizationTypeName), "workplace_users_group") {
		t.Error("workplace_users_group can be set")
	}
	_, err := o.Client.UpdateRealm(context.Background(), zulip.RealmUpdate{Permissions: map[string]zulip.GroupSettingChange{
		"workplace_users_group": {New: role(t, o, "role:members")},
	}})
	var refusal *zulip.Error
	if !errors.As(err, &refusal) || refusal.Status != http.StatusInternalServerError {
		t.Errorf("the server takes workplace_users_group: %v", err)
	}
	sent := o.Sent()
	run.MustApply(values{"can_create_groups": []any{"role:moderators"}})
	sent.Expect(t, "PATCH can_create_groups")
	shown := run.Process().MustReadData(organizationTypeName, values{})
	if want := []any{"role:everyone"}; !reflect.DeepEqual(shown["workplace_users_group"], want) || !reflect.DeepEqual(run.State.Values["workplace_users_group"], want) {
		t.Errorf("shown: %v, in the state: %v", shown["workplace_users_group"], run.State.Values["workplace_users_group"])
	}
	o.Sandbox.SetFeatureLevel(featurelevel.WorkplaceUsers - 1)
	shown = run.Process().MustReadData(organizationTypeName, values{})
	if shown["workplace_users_group"] != nil {
		t.Errorf("a server without it shows %v", shown["workplace_users_group"])
	}
}
