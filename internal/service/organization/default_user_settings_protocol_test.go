package organization_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

const defaultUserSettingsTypeName = "zulip_default_user_settings"

// defaultUserSettingsHeld returns the server's values, by their names in the API.
func defaultUserSettingsHeld(t *testing.T, o *acctest.Organization) map[string]any {
	t.Helper()
	all := map[string]any{}
	for name, raw := range o.Snapshot(t, zulip.FetchUserDefaults).UserDefaults {
		var value any
		acctest.NoError(t, json.Unmarshal(raw, &value))
		all[name] = value
	}
	return all
}

// Every value, and the server's number for it (https://zulip.com/api/update-realm-user-settings-defaults).
var defaultUserSettingsCodes = map[string]map[string]float64{
	"color_scheme":                                        {"automatic": 1, "dark": 2, "light": 3},
	"demote_inactive_streams":                             {"automatic": 1, "always": 2, "never": 3},
	"desktop_icon_count_display":                          {"messages": 1, "dm_mention_followed_topic": 2, "dm_mention": 3, "none": 4},
	"user_list_style":                                     {"compact": 1, "with_status": 2, "with_avatar": 3},
	"web_mark_read_on_scroll_policy":                      {"always": 1, "conversation_only": 2, "never": 3},
	"web_channel_default_view":                            {"first_topic": 1, "channel_feed": 2, "list_of_topics": 3, "top_unread_topic": 4},
	"web_stream_unreads_count_display_policy":             {"all_streams": 1, "unmuted_streams": 2, "no_streams": 3},
	"realm_name_in_email_notifications_policy":            {"automatic": 1, "always": 2, "never": 3},
	"automatically_follow_topics_policy":                  {"participation": 1, "send": 2, "initiation": 3, "never": 4},
	"automatically_unmute_topics_in_muted_streams_policy": {"participation": 1, "send": 2, "initiation": 3, "never": 4},
	"email_address_visibility":                            {"everyone": 1, "members": 2, "administrators": 3, "nobody": 4, "moderators": 5},
}

// Every setting that the server accepts is an attribute, and the server receives the intended value.
func TestProtocolDefaultUserSettingsEvery(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	before := defaultUserSettingsHeld(t, o)
	fixed := []string{"enable_login_emails", "enable_marketing_emails", "allow_private_data_export", "default_language",
		"available_notification_sounds", "emojiset_choices"}
	var settable []string
	for name := range before {
		if !slices.Contains(fixed, name) {
			settable = append(settable, name)
		}
	}
	slices.Sort(settable)
	run := o.NewRun(t, defaultUserSettingsTypeName)
	if got := run.Process().Configurable(defaultUserSettingsTypeName); !slices.Equal(slices.Sorted(slices.Values(got)), settable) {
		t.Errorf("attributes:\n%v\nthe server has\n%v", got, settable)
	}

	config, want := values{}, map[string]any{}
	for _, name := range settable {
		switch value := before[name].(type) {
		case bool:
			config[name], want[name] = !value, !value
		case float64:
			if defaultUserSettingsCodes[name] == nil {
				config[name], want[name] = int64(value)+3, value+3
			}
		}
	}
	texts := values{"emojiset": "text", "notification_sound": "none", "web_home_view": "recent_topics",
		"web_animate_image_previews": "never", "resolved_topic_notice_auto_read_policy": "always"}
	maps.Copy(config, texts)
	maps.Copy(want, texts)
	want["web_home_view"] = "recent" // which newer servers call it
	for name, words := range defaultUserSettingsCodes {
		for word, number := range words {
			if number != before[name] {
				config[name], want[name] = word, number
			}
		}
	}
	sent := o.Sent()
	run.MustApply(config)
	if writes := sent.Writes(); len(writes) != 1 || len(writes[0].Params) != len(settable) {
		t.Errorf("sent: %v", writes)
	}
	after := defaultUserSettingsHeld(t, o)
	for name, value := range want {
		if after[name] != value {
			t.Errorf("%s: the server holds %v, not %v", name, after[name], value)
		}
	}
	if len(want) != len(settable) {
		t.Errorf("%d of %d settings were changed", len(want), len(settable))
	}
}

func TestProtocolDefaultUserSettingsEveryWord(t *testing.T) {
	o, run := acctest.StartRun(t, defaultUserSettingsTypeName)
	for name, words := range defaultUserSettingsCodes {
		for word, number := range words {
			run.MustApply(values{name: word})
			if got := defaultUserSettingsHeld(t, o)[name]; got != number {
				t.Errorf("%s = %s: the server holds %v, not %v", name, word, got, number)
			}
		}
	}
}

func TestProtocolDefaultUserSettingsBadInput(t *testing.T) {
	_, run := acctest.StartRun(t, defaultUserSettingsTypeName)
	for name, bad := range map[string]struct {
		value any
		words string
	}{
		"color_scheme":       {"blue", `"automatic"`},
		"emojiset":           {"apple", `"twitter"`},
		"notification_sound": {"boom", `no sound "boom"`},
		"email_notifications_batching_period_seconds": {0, "between 1 and 604800"},
		"web_font_size_px":                            {-1, "between 1 and"},
	} {
		run.ExpectRefused(values{name: bad.value}, name, bad.words)
	}
	if plan := run.MustPlan(values{"color_scheme": acctest.Unknown, "notification_sound": acctest.Unknown}); plan.Values["color_scheme"] != acctest.Unknown {
		t.Errorf("planned: %v", plan.Values)
	}
}

func TestProtocolDefaultUserSettingsCaller(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for account, allowed := range map[string]bool{"owner": true, "admin": true, "moderator": false, "member": false} {
		run := o.As(t, account).NewRun(t, defaultUserSettingsTypeName)
		_, diags := run.Plan(values{"color_scheme": "dark"})
		if allowed {
			diags.ExpectNoError(t)
		} else {
			diags.ExpectError(t, "color_scheme", "cannot set color_scheme", "administrators and owners", account)
		}
		_, diags = run.Plan(values{"color_scheme": "automatic"}) // as it is
		diags.ExpectNoError(t)
	}
}

// If a server accepts a setting without an error, but does not store it, an error says so.
func TestProtocolDefaultUserSettingsNotTaken(t *testing.T) {
	o, run := acctest.StartRun(t, defaultUserSettingsTypeName)
	o.Sandbox.Fail(sandbox.Fault{
		Method: "PATCH", Path: "/realm/user_settings_defaults", Action: sandbox.FaultStatus, Status: http.StatusOK,
		Body: `{"result":"success","msg":"","ignored_parameters_unsupported":["color_scheme"]}`, Count: 1,
	})
	run.Apply(run.MustPlan(values{"color_scheme": "dark"})).ExpectError(t, "", "did not accept the change", "ignores color_scheme", "dark", "automatic")
	run.MustApply(values{"color_scheme": "dark"})
}

func TestProtocolDefaultUserSettingsRefused(t *testing.T) {
	o, run := acctest.StartRun(t, defaultUserSettingsTypeName)
	run.MustApply(values{"color_scheme": "dark"})
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "PATCH", Path: "/realm/user_settings_defaults", Action: sandbox.FaultStatus, Status: http.StatusBadRequest,
		Body: `{"result":"error","msg":"Must be an organization administrator","code":"UNAUTHORIZED_PRINCIPAL"}`})
	run.Apply(run.MustPlan(values{"color_scheme": "light"})).ExpectError(t, "", "Cannot change", "Must be an organization administrator", "color_scheme")
	heal()
	if run.State == nil || run.State.Values["color_scheme"] != "dark" {
		t.Errorf("the state holds %v: it is to hold what the server does", run.State)
	}
	run.MustApply(values{"color_scheme": "light"})
}

// A setting that was unset when the resource was created has no prior value until a refresh reads one.
func TestProtocolDefaultUserSettings_WithoutRefresh_Refused(t *testing.T) {
	_, run := acctest.StartRun(t, defaultUserSettingsTypeName)
	run.Apply(run.MustPlan(values{"color_scheme": "dark"})).ExpectNoError(t)
	config := values{"color_scheme": "dark", "enter_sends": true}
	_, diags := run.Process().Plan(defaultUserSettingsTypeName, run.State, config)
	diags.ExpectError(t, "enter_sends", "The current value of enter_sends is not known", "Plan without -refresh=false")
	_, diags = run.Process().Plan(defaultUserSettingsTypeName, run.State, values{"color_scheme": "light"})
	diags.ExpectNoError(t)
	run.MustApply(config)
}

const view = "web_home_view"

// Every server accepts both values for the list of recent conversations, and gets its own. The state keeps the
// configured value.
func TestProtocolDefaultUserSettingsHomeView(t *testing.T) {
	for level, taken := range map[int]string{featurelevel.HomeViewRecent - 1: "recent_topics", featurelevel.HomeViewRecent: "recent"} {
		o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
		for _, word := range []string{"recent", "recent_topics"} {
			run := o.NewRun(t, defaultUserSettingsTypeName)
			run.MustApply(values{view: "inbox"})
			sent := o.Sent()
			run.MustApply(values{view: word})
			if writes := sent.Writes(); len(writes) != 1 || writes[0].Params[view] != taken {
				t.Errorf("level %d: for %s, sent were %v", level, word, writes)
			}
			if got := defaultUserSettingsHeld(t, o)[view]; got != taken || run.State.Values[view] != word {
				t.Errorf("level %d: for %s the server holds %v, and the state %v", level, word, got, run.State.Values[view])
			}

			// The other value changes nothing, in the same resource or in another.
			other := map[string]string{"recent": "recent_topics", "recent_topics": "recent"}[word]
			if plan := run.MustPlan(values{view: other}); !plan.Empty() {
				t.Errorf("level %d: %s instead of %s changes %v", level, other, word, plan.Changes())
			}
			sent = o.Sent()
			o.NewRun(t, defaultUserSettingsTypeName).MustApply(values{view: other})
			imported := o.NewRun(t, defaultUserSettingsTypeName)
			imported.Import("organization", nil).ExpectNoError(t)
			if plan := imported.MustPlan(values{view: other}); !plan.Empty() {
				t.Errorf("level %d: after an import %s changes %v", level, other, plan.Changes())
			}
			sent.Expect(t)

			// A change outside Terraform is noticed and repaired.
			o.Call(t, http.MethodPatch, "/realm/user_settings_defaults", map[string]string{view: "all_messages"})
			run.MustApply(values{view: word})
			if got := defaultUserSettingsHeld(t, o)[view]; got != taken {
				t.Errorf("level %d: the server holds %v", level, got)
			}
		}
	}
}

// An upgraded server has another name for the view, which is no difference.
func TestProtocolDefaultUserSettingsHomeViewUpgrade(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 442})
	run := o.NewRun(t, defaultUserSettingsTypeName)
	config := values{view: "recent_topics", "enter_sends": true}
	run.MustApply(config)
	for _, level := range []int{featurelevel.NewestRelease, featurelevel.Newest} {
		o.Sandbox.SetFeatureLevel(level)
		sent := o.Sent()
		if plan := run.MustPlan(config); !plan.Empty() {
			t.Errorf("level %d changes %v", level, plan.Changes())
		}
		sent.Expect(t)
		if got := defaultUserSettingsHeld(t, o)[view]; got != "recent" || run.State.Values[view] != "recent_topics" {
			t.Errorf("level %d: the server holds %v, and the state %v", level, got, run.State.Values[view])
		}
	}
	// Another change does not send the view, and keeps the value.
	config["enter_sends"] = false
	sent := o.Sent()
	run.MustApply(config)
	sent.Expect(t, "PATCH enter_sends")
}

// A server accepts only its own value.
func TestDefaultUserSettings_HomeViewWord(t *testing.T) {
	for level, refused := range map[int]string{featurelevel.HomeViewRecent - 1: "recent", featurelevel.HomeViewRecent: "recent_topics"} {
		o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
		form := &zulip.Form{}
		form.Text(view, refused)
		if _, err := o.Client.UpdateUserDefaults(t.Context(), form); !zulip.IsMessage(err, "Invalid web_home_view") {
			t.Errorf("level %d, %s: %v", level, refused, err)
		}
	}
}
