package users_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

const (
	typeName         = "zulip_set_user_settings"
	userSettingsLena = "lena.fischer@example.com"
	owner            = "ines.moreau@example.com"
)

// config returns a configuration for Lena, with other attributes.
func config(more values) values {
	config := values{"users": []any{userSettingsLena}, "skip_if_already_edited": false}
	maps.Copy(config, more)
	return config
}

func process(t *testing.T, o *acctest.Organization) *acctest.Process {
	t.Helper()
	return o.NewRun(t, "zulip_message").Process()
}

func invoke(t *testing.T, o *acctest.Organization, config values) string {
	t.Helper()
	p := process(t, o)
	p.PlanAction(typeName, config).ExpectNoError(t)
	messages, diags := p.InvokeAction(context.Background(), typeName, config, nil)
	diags.ExpectNoError(t)
	return strings.Join(messages, "; ")
}

// refused expects that both the plan and the invocation are refused, and nothing is sent.
func refused(t *testing.T, o *acctest.Organization, config values, attribute string, words ...string) {
	t.Helper()
	p := process(t, o)
	sent := o.Sent()
	p.PlanAction(typeName, config).ExpectError(t, attribute, words...)
	_, diags := p.InvokeAction(context.Background(), typeName, config, nil)
	diags.ExpectError(t, attribute, words...)
	sent.Expect(t)
}

// changed returns the settings of a user that differ from the earlier ones.
func changed(o *acctest.Organization, email string, before map[string]any) map[string]any {
	differing := map[string]any{}
	for name, value := range o.Sandbox.Organization().Settings(email) {
		if value != before[name] {
			differing[name] = value
		}
	}
	return differing
}

func target(t *testing.T, params map[string]string) (target struct {
	UserIDs  []int64 `json:"user_ids"`
	GroupIDs []int64 `json:"group_ids"`
	Skip     bool    `json:"skip_if_already_edited"`
}) {
	t.Helper()
	acctest.NoError(t, json.Unmarshal([]byte(params["target_users"]), &target))
	return target
}

func person(t *testing.T, o *acctest.Organization, email string) int64 {
	t.Helper()
	found, ok := o.Sandbox.Organization().Person(email)
	if !ok {
		t.Fatalf("nobody is %s", email)
	}
	return int64(found.ID)
}

func TestProtocolSetUserSettings(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	others := o.Sandbox.Organization().Settings(owner)
	sent := o.Sent()
	progress := invoke(t, o, config(values{"color_scheme": "dark", "enter_sends": true, "web_font_size_px": 18, "notification_sound": "ding"}))
	if progress != "Setting color_scheme, web_font_size_px, enter_sends, notification_sound of "+userSettingsLena {
		t.Errorf("progress: %q", progress)
	}
	sent.Expect(t, "PATCH color_scheme enter_sends notification_sound target_users web_font_size_px")
	if got := target(t, sent.Writes()[0].Params); !slices.Equal(got.UserIDs, []int64{person(t, o, userSettingsLena)}) || len(got.GroupIDs) != 0 || got.Skip {
		t.Errorf("sent for %+v", got)
	}
	want := map[string]any{"color_scheme": 2, "enter_sends": true, "web_font_size_px": 18, "notification_sound": "ding"}
	if got := changed(o, userSettingsLena, others); !maps.Equal(got, want) {
		t.Errorf("changed: %v, want %v", got, want)
	}
	if got := changed(o, owner, others); len(got) > 0 {
		t.Errorf("of the account itself changed: %v", got)
	}
}

// A group includes all of its subgroups, and people can be named by ID. Bots are left out, because they have no
// settings.
func TestProtocolSetUserSettingsOfGroups(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	before := o.Sandbox.Organization().Settings(owner)
	members := func(group string) []string {
		found, ok := o.Sandbox.Organization().Group(group)
		if !ok {
			t.Fatalf("no group %s", group)
		}
		return found.Members
	}
	sre := members("sre")
	progress := invoke(t, o, values{"groups": []any{"sre"}, "skip_if_already_edited": true, "enter_sends": true})
	if progress != "Setting enter_sends of everyone in sre" {
		t.Errorf("progress: %q", progress)
	}
	for _, one := range o.Sandbox.Organization().People() {
		if !one.IsBot && (len(changed(o, one.Email, before)) == 1) != slices.Contains(sre, one.Email) {
			t.Errorf("%s has %v", one.Email, changed(o, one.Email, before))
		}
	}
	invoke(t, o, values{"users": []any{fmt.Sprint(person(t, o, userSettingsLena))}, "groups": []any{"role:everyone", fmt.Sprint(o.SystemGroup(t, "role:members"))},
		"skip_if_already_edited": false, "color_scheme": "light"})
	for _, one := range o.Sandbox.Organization().People() {
		if got := o.Sandbox.Organization().Settings(one.Email)["color_scheme"]; !one.IsBot && got != 3 {
			t.Errorf("%s has %v", one.Email, got)
		}
	}
}

// Settings that people have changed themselves are kept if the configuration says so.
func TestProtocolSetUserSettings_UserChanged_Skipped(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.As(t, "member").Call(t, http.MethodPatch, "/settings", map[string]string{"color_scheme": "3"})
	held := func() any { return o.Sandbox.Organization().Settings(userSettingsLena)["color_scheme"] }
	change := config(values{"color_scheme": "dark", "enter_sends": true, "skip_if_already_edited": true})
	invoke(t, o, change)
	if held() != 3 || o.Sandbox.Organization().Settings(userSettingsLena)["enter_sends"] != true {
		t.Errorf("Lena has %v", o.Sandbox.Organization().Settings(userSettingsLena))
	}
	change["skip_if_already_edited"] = false
	invoke(t, o, change)
	if held() != 2 {
		t.Errorf("Lena has %v", held())
	}
}

// The server can change every setting of the action for others.
func TestProtocolSetUserSettingsEvery(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	private := []string{"email_address_visibility", "enable_digest_emails", "presence_enabled", "send_private_typing_notifications",
		"send_read_receipts", "send_stream_typing_notifications"}
	words := map[string]any{
		"emojiset": "text", "notification_sound": "none", "web_home_view": "recent", "web_animate_image_previews": "never",
		"resolved_topic_notice_auto_read_policy": "always", "color_scheme": "dark", "demote_inactive_streams": "never",
		"desktop_icon_count_display": "none", "user_list_style": "compact", "web_mark_read_on_scroll_policy": "never",
		"web_channel_default_view": "channel_feed", "web_stream_unreads_count_display_policy": "no_streams",
		"realm_name_in_email_notifications_policy": "always", "automatically_follow_topics_policy": "never",
		"automatically_unmute_topics_in_muted_streams_policy": "never", "web_font_size_px": 20, "web_line_height_percent": 150,
		"email_notifications_batching_period_seconds": 300,
	}
	before := o.Sandbox.Organization().Settings(userSettingsLena)
	all := config(nil)
	for name, value := range before {
		if flag, ok := value.(bool); ok && !slices.Contains(private, name) {
			all[name] = !flag
		} else if word, ok := words[name]; ok {
			all[name] = word
		}
	}
	invoke(t, o, all)
	after := changed(o, userSettingsLena, before)
	for name := range before {
		if _, is := after[name]; is == slices.Contains(private, name) {
			t.Errorf("%s: %v, now %v", name, before[name], after[name])
		}
	}
	// The server refuses the settings that people decide themselves.
	for _, name := range private {
		value := map[string]string{"email_address_visibility": "1"}[name]
		if value == "" {
			value = "false"
		}
		form := &zulip.Form{}
		form.Text(name, value)
		_, err := o.Client.UpdateSettingsOf(t.Context(), zulip.SettingsTarget{Users: []int64{person(t, o, userSettingsLena)}}, form)
		if !zulip.IsMessage(err, "Cannot change this setting for other users.") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The home view is sent in the server's form.
func TestProtocolSetUserSettingsHomeView(t *testing.T) {
	for level, want := range map[int]string{featurelevel.HomeViewRecent - 1: "recent_topics", featurelevel.HomeViewRecent: "recent"} {
		o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
		for _, word := range []string{"recent", "recent_topics"} {
			sent := o.Sent()
			invoke(t, o, config(values{"web_home_view": word}))
			if got := sent.Writes()[0].Params["web_home_view"]; got != want {
				t.Errorf("level %d: for %s sent was %s", level, word, got)
			}
		}
	}
}

// An older server would change the settings of the account itself. It gets no request, and neither does a server of an
// unknown level.
func TestProtocolSetUserSettingsOldServer(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.TargetUsers - 1})
	before := o.Sandbox.Organization().Settings(owner)
	refused(t, o, config(values{"color_scheme": "dark"}), "", "too old", "feature level 444", "443")
	o.Call(t, http.MethodPatch, "/settings", map[string]string{"target_users": "{}", "color_scheme": "2"})
	if got := changed(o, owner, before)["color_scheme"]; got != 2 {
		t.Errorf("the older server leaves the account's own setting at %v", got)
	}

	o.Sandbox.SetFeatureLevel(featurelevel.TargetUsers)
	invoke(t, o, config(values{"color_scheme": "dark"}))

	settings := o.Call(t, http.MethodGet, "/server_settings", nil)
	delete(settings, "zulip_feature_level")
	body, err := json.Marshal(settings)
	acctest.NoError(t, err)
	o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: "/server_settings", Action: sandbox.FaultStatus, Status: http.StatusOK, Body: string(body)})
	refused(t, o, config(values{"color_scheme": "light"}), "", "Unknown whether the server can", "feature level 444", "Nothing was changed")
}

func TestProtocolSetUserSettingsCaller(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	change := config(values{"color_scheme": "dark"})
	invoke(t, o.As(t, "admin"), change)
	for _, account := range []string{"moderator", "member"} {
		refused(t, o.As(t, account), change, "", "cannot set settings of others", "administrators and owners")
	}
	bot := o.As(t, "bot")
	refused(t, bot, change, "", "A bot cannot set settings of others")
}

func TestProtocolSetUserSettingsErrors(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	dark := values{"color_scheme": "dark", "skip_if_already_edited": false}
	with := func(more values) values {
		all := maps.Clone(dark)
		maps.Copy(all, more)
		return all
	}
	bot, ok := o.Sandbox.Credentials("bot")
	if !ok {
		t.Fatal("there is no bot")
	}
	for _, c := range []struct {
		config    values
		attribute string
		words     []string
	}{
		{with(nil), "", []string{"No users to change"}},
		{with(values{"users": []any{}, "groups": []any{}}), "", []string{"No users to change"}},
		{values{"users": []any{userSettingsLena}, "skip_if_already_edited": true}, "", []string{"No setting is set"}},
		{with(values{"users": []any{"lena.fisher@example.com"}}), "users", []string{"did you mean " + userSettingsLena}},
		{with(values{"users": []any{bot.Email}}), "users", []string{"A bot has no personal settings", bot.Email}},
		{with(values{"groups": []any{"srr"}}), "groups", []string{`did you mean "sre"`}},
		{with(values{"users": []any{userSettingsLena}, "notification_sound": "boom"}), "notification_sound", []string{`no sound "boom"`}},
	} {
		refused(t, o, c.config, c.attribute, c.words...)
	}
	p := process(t, o)
	for attribute, wrong := range map[string]any{"color_scheme": "blue", "web_font_size_px": 0, "users": []any{nil}} {
		p.PlanAction(typeName, config(values{attribute: wrong, "enter_sends": true})).ExpectError(t, attribute)
	}
	for _, unknown := range []values{
		{"users": acctest.Unknown, "groups": acctest.Unknown, "color_scheme": "dark"}, {"color_scheme": acctest.Unknown},
		{"users": []any{acctest.Unknown}, "notification_sound": acctest.Unknown},
	} {
		p.PlanAction(typeName, config(unknown)).ExpectNoError(t)
	}

	o.Sandbox.Fail(sandbox.Fault{Method: "PATCH", Path: "/settings", Action: sandbox.FaultStatus, Status: http.StatusBadRequest,
		Body: `{"result":"error","msg":"Invalid user ID: 7","code":"BAD_REQUEST"}`, Count: 1})
	_, diags := p.InvokeAction(context.Background(), typeName, config(dark), nil)
	diags.ExpectError(t, "", "Cannot set the settings of others", "Invalid user ID: 7")
	o.Sandbox.Fail(sandbox.Fault{Method: "PATCH", Path: "/settings", Action: sandbox.FaultStatus, Status: http.StatusOK,
		Body: `{"result":"success","msg":"","ignored_parameters_unsupported":["color_scheme"]}`, Count: 1})
	_, diags = p.InvokeAction(context.Background(), typeName, config(dark), nil)
	diags.ExpectError(t, "", "ignored some settings", "color_scheme")
}

// A group that the same run creates is not in the organization during plan.
func TestProtocolSetUserSettings_PlannedGroup_Deferred(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	p := process(t, o)
	p.MustPlan("zulip_user_group", nil, values{"name": "new", "description": "", "members": []any{userSettingsLena}})
	change := values{"groups": []any{"new"}, "skip_if_already_edited": false, "color_scheme": "dark"}
	p.PlanAction(typeName, change).ExpectNoError(t)
	_, diags := p.InvokeAction(context.Background(), typeName, change, nil)
	diags.ExpectError(t, "groups", "does not exist in the organization yet")
	o.NewRun(t, "zulip_user_group").MustApply(values{"name": "new", "description": "", "members": []any{userSettingsLena}})
	invoke(t, o, change)
	if got := o.Sandbox.Organization().Settings(userSettingsLena)["color_scheme"]; got != 2 {
		t.Errorf("Lena has %v", got)
	}
}

// After a lost answer, the request is repeated, because setting a value twice changes nothing.
func TestProtocolSetUserSettingsLostAnswer(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Sandbox.Fail(sandbox.Fault{Method: "PATCH", Path: "/settings", After: true, Action: sandbox.FaultDrop, Count: 1})
	invoke(t, o, config(values{"color_scheme": "dark"}))
	if got := o.Sandbox.Organization().Settings(userSettingsLena)["color_scheme"]; got != 2 {
		t.Errorf("Lena has %v", got)
	}
}
