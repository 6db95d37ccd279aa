package organization_test

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Every value, and the server's number for it (server-behavior §O7).
var organizationCodes = map[string]map[string]string{
	"org_type": {
		"unspecified": "0", "business": "10", "opensource": "20", "education_nonprofit": "30", "education": "35",
		"research": "40", "event": "50", "nonprofit": "60", "government": "70", "political_group": "80", "community": "90",
		"personal": "100", "other": "1000",
	},
	"digest_weekday": {
		"monday": "0", "tuesday": "1", "wednesday": "2", "thursday": "3", "friday": "4", "saturday": "5", "sunday": "6",
	},
	"giphy_rating":                           {"disabled": "0", "g": "1", "pg": "2", "pg-13": "3", "r": "4"},
	"video_chat_provider":                    {"disabled": "0", "jitsi_meet": "1"},
	"default_avatar_source":                  {"gravatar": `"G"`, "jdenticon": `"J"`},
	"topics_policy":                          {"allow_empty_topic": `"allow_empty_topic"`, "disable_empty_topic": `"disable_empty_topic"`},
	"message_edit_history_visibility_policy": {"all": `"all"`, "moves": `"moves"`, "none": `"none"`},
	"message_retention_days":                 {"7": "7", "unlimited": "-1"},
	"message_content_edit_limit_seconds":     {"unlimited": "null", "10": "10"},
	"jitsi_server_url":                       {"http://meet.example.com/x": `"http://meet.example.com/x"`, "default": "null"},
}

func TestProtocolOrganizationEveryWord(t *testing.T) {
	o, run := acctest.StartRun(t, organizationTypeName)
	rounds := 0
	for _, words := range organizationCodes {
		rounds = max(rounds, len(words))
	}
	for round := range rounds { // one value of each setting at a time
		config := values{}
		for name, words := range organizationCodes {
			config[name] = slices.Sorted(maps.Keys(words))[round%len(words)]
		}
		run.MustApply(config)
		settings := organizationHeld(t, o).Settings
		for name, word := range config {
			if got, want := string(settings[onWire(name)]), organizationCodes[name][word.(string)]; got != want {
				t.Errorf("%s = %s: the server holds %s, not %s", name, word, got, want)
			}
			if got := run.State.Values[name]; got != word {
				t.Errorf("%s = %s: the state holds %v", name, word, got)
			}
		}
	}
}

// An attribute changes after the plan: the apply overwrites nothing, and reports the conflict.
func TestProtocolOrganization_ChangedSincePlan_NotOverwritten(t *testing.T) {
	for attribute, test := range map[string]struct {
		planned         any
		meanwhile       func(*testing.T, *acctest.Organization) string
		saw, now, asked string
	}{
		"description": {"ours", func(*testing.T, *acctest.Organization) string { return "theirs" }, `"start"`, `"theirs"`, `"ours"`},
		"message_retention_days": {
			"30", func(*testing.T, *acctest.Organization) string { return "7" },
			`"unlimited"`, `"7"`, `"30"`,
		},
		"enable_read_receipts": {false, nil, "true", "false", "false"},
		"authentication_methods": {
			[]any{"Email"}, func(*testing.T, *acctest.Organization) string { return `{"Email":true,"Google":false}` },
			`["Apple" "Dev" "Email" "GitHub" "GitLab" "Google" "OpenID Connect"]`, `["Apple" "Dev" "Email" "GitHub" "GitLab" "OpenID Connect"]`, `["Email"]`,
		},
		"can_create_groups": {
			[]any{"role:administrators"}, func(t *testing.T, o *acctest.Organization) string {
				return text(t, zulip.GroupSettingChange{New: role(t, o, "role:moderators")})
			},
			`"role:members"`, `"role:moderators"`, `"role:administrators"`,
		},
	} {
		t.Run(attribute, func(t *testing.T) {
			o, run := acctest.StartRun(t, organizationTypeName)
			run.MustApply(values{"description": "start"})
			config := values{"description": "start", "name": "New", attribute: test.planned}
			plan := run.MustPlan(config)
			if test.meanwhile == nil { // the planned change, made by someone else, is no conflict
				organizationByHand(t, o, map[string]string{attribute: test.now})
				sent := o.Sent()
				run.Apply(plan).ExpectNoError(t)
				sent.Expect(t, "PATCH name")
				return
			}
			organizationByHand(t, o, map[string]string{attribute: test.meanwhile(t, o)})
			sent := o.Sent()
			run.Apply(plan).ExpectError(t, "", "The organization was changed after the plan was made", attribute+"\n",
				"when the plan was made:     "+test.saw+"\n", "now:                        "+test.now+"\n", "the configuration asks for: "+test.asked+"\n", "Nothing was overwritten.")
			sent.Expect(t)
			// The state has the current value, so that the next plan starts from it and passes.
			run.MustApply(config)
		})
	}
}

// An attribute that was unset when the resource was created has no prior value until a refresh reads one.
func TestProtocolOrganization_WithoutRefresh_Refused(t *testing.T) {
	_, run := acctest.StartRun(t, organizationTypeName)
	run.Apply(run.MustPlan(values{"description": "start"})).ExpectNoError(t)
	created := run.State
	others := values{"name": "New", "digest_weekday": "sunday", "authentication_methods": []any{"Email"}, "can_create_groups": []any{"role:moderators"}}
	for name, value := range others {
		config := values{"description": "start", name: value}
		_, diags := run.Process().Plan(organizationTypeName, created, config)
		diags.ExpectError(t, name, "The current value of "+name+" is not known", "Plan without -refresh=false")
		run.MustPlan(config)
	}
	_, diags := run.Process().Plan(organizationTypeName, created, values{"description": "other"})
	diags.ExpectNoError(t)
}

// The server executes a change piece by piece. The message and the state have the changes before the failure.
func TestProtocolOrganization_PartlyRefused_Reported(t *testing.T) {
	o, run := acctest.StartRun(t, organizationTypeName)
	run.MustApply(values{"description": "start"})
	channel := o.MustChannel(t, "general").ID
	config := values{"description": "new", "can_create_groups": []any{"role:moderators"}, "signup_announcements_stream_id": channel, "org_type": "business"}
	plan := run.MustPlan(config)
	gate := o.Sandbox.Gate(http.MethodPatch, "/realm")
	applied := make(chan acctest.Diagnostics)
	go func() { applied <- run.Apply(plan) }()
	arrived := <-gate.Arrived
	o.WithAccount(t, "admin").Archive(t, "general")
	gate.Open()
	arrived.Release()
	diags := <-applied
	diags.ExpectError(t, "", "Cannot change the organization", "Already as planned: description, can_create_groups.")
	if got := run.State.Values; got["description"] != "new" || got["signup_announcements_stream_id"] == channel || got["org_type"] == "business" {
		t.Errorf("the state holds %v", got)
	}
	delete(config, "signup_announcements_stream_id")
	sent := o.Sent()
	run.MustApply(config)
	sent.Expect(t, "PATCH org_type")
}

func TestProtocolOrganizationRefused(t *testing.T) {
	o, run := acctest.StartRun(t, organizationTypeName)
	heal := o.Sandbox.Fail(sandbox.Fault{
		Method: "PATCH", Path: "/realm", Action: sandbox.FaultStatus, Status: http.StatusBadRequest,
		Body: `{"result":"error","msg":"Available on Zulip Cloud Standard. Upgrade to access.","code":"BAD_REQUEST"}`,
	})
	run.Apply(run.MustPlan(values{"message_retention_days": "30"})).ExpectError(t, "", "Cannot change the organization", "Available on Zulip Cloud Standard", "No other attribute of it was changed")
	heal()
	if run.State != nil {
		t.Errorf("the state holds %v: nothing was created", run.State.Values)
	}
	run.MustApply(values{"message_retention_days": "30"})
}

// If a server accepts an unknown setting without an error, the provider reports it.
func TestProtocolOrganizationNotTaken(t *testing.T) {
	o, run := acctest.StartRun(t, organizationTypeName)
	o.Sandbox.Fail(sandbox.Fault{
		Method: "PATCH", Path: "/realm", Action: sandbox.FaultStatus, Status: http.StatusOK,
		Body: `{"result":"success","msg":"","ignored_parameters_unsupported":["description"]}`, Count: 1,
	})
	run.Apply(run.MustPlan(values{"description": "new"})).ExpectError(t, "", "The organization did not accept the change", `"new"`, "ignores description")
	run.MustApply(values{"description": "new"})
}

// A plan warns of a change of access also when the resource is created, because it starts from the current organization.
func TestProtocolOrganization_PermissionChanged_AccessWarning(t *testing.T) {
	_, run := acctest.StartRun(t, organizationTypeName)
	_, diags := run.Plan(values{"can_create_groups": []any{"role:owners"}})
	slices.DeleteFunc(diags, func(one acctest.Diagnostic) bool { return one.Summary == change.ManagedSummary }).ExpectOnlyAccessWarning(t, acctest.GeneralAccess)
	run.MustApply(values{"can_create_groups": []any{"role:owners"}})
	_, diags = run.Plan(values{"can_create_groups": []any{"role:members"}})
	diags.ExpectOnlyAccessWarning(t, acctest.GeneralAccess)
	run.Block["access_warnings"] = false
	_, diags = run.Plan(values{"can_create_groups": []any{"role:members"}})
	diags.ExpectOnlyAccessWarning(t, "")
}

// Two settings that are not permissions also decide access: the waiting period of full members, and public access to
// web-public channels.
func TestProtocolOrganization_SettingChanged_AccessWarning(t *testing.T) {
	o, run := acctest.StartRun(t, organizationTypeName)
	o.Call(t, "PATCH", "/realm", map[string]string{"enable_spectator_access": "true"})
	yes := true
	if _, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{
		Name: "handbook", IsWebPublic: &yes, Subscribers: []int64{o.Self.ID},
		Permissions: map[string]zulip.GroupSettingValue{"can_send_message_group": zulip.NamedGroup(o.SystemGroup(t, "role:fullmembers"))},
	}); err != nil {
		t.Fatal(err)
	}
	config := values{"enable_spectator_access": true, "waiting_period_threshold": int64(0), "can_create_groups": []any{"role:fullmembers"}}
	run.MustApply(config)
	with := func(change values) values {
		changed := maps.Clone(config)
		maps.Copy(changed, change)
		return changed
	}
	expect := func(config values, want string) {
		t.Helper()
		_, diags := run.Plan(config)
		diags.ExpectOnlyAccessWarning(t, want)
	}
	expect(with(values{"waiting_period_threshold": int64(100000)}), acctest.GeneralAccess)
	expect(with(values{"enable_spectator_access": false}), acctest.GeneralAccess)
	expect(with(values{"enable_spectator_access": acctest.Unknown}), acctest.GeneralAccess)
	expect(with(values{"waiting_period_threshold": acctest.Unknown}), acctest.GeneralAccess)

	o.Call(t, "PATCH", "/realm", map[string]string{"enable_spectator_access": "false"})
	expect(config, `Anyone on the internet can gain access in channel "handbook"`)
	run.Block["access_warnings"] = false
	expect(config, "")
}

// Terraform passes every text in the Unicode normal form NFC. A description that the server stores in another form is
// the same text.
func TestProtocolOrganization_DecomposedDescription_NoChange(t *testing.T) {
	o, run := acctest.StartRun(t, organizationTypeName)
	run.MustApply(values{"description": "Caf\u00e9"})
	organizationByHand(t, o, map[string]string{"description": "Cafe\u0301"})
	p := run.Process()
	plan := p.MustPlan(organizationTypeName, run.State, values{"description": "Another"})
	p.MustApply(plan)
	if got := organizationHeld(t, o).Settings["description"]; string(got) != `"Another"` {
		t.Errorf("the server has %s", got)
	}
}

// If the server is newer than the tested ones, the message says so, and names the untested parts of the resource.
func TestProtocolOrganization_UntriedServer_Error(t *testing.T) {
	for _, level := range []int{featurelevel.Recorded, featurelevel.NewestRelease} {
		o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
		run := o.NewRun(t, organizationTypeName)
		o.Sandbox.Fail(sandbox.Fault{
			Method: "PATCH", Path: "/realm", Action: sandbox.FaultStatus, Status: http.StatusOK,
			Body: `{"result":"success","msg":"","ignored_parameters_unsupported":["description"]}`, Count: 1,
		})
		diags := run.Apply(run.MustPlan(values{"description": "new"}))
		diags.ExpectError(t, "", "The organization did not accept the change", "ignores description: it is too old for it")
		detail := diags.Errors()[0].Detail
		for _, text := range []string{
			"The server has feature level 500. The newest level that the provider was tested with is 442", "Not tested of zulip_organization: ",
			"`media_preview_size` (469, read)", `The page "Supported servers" of the documentation lists what was tested.`, "or no longer has it",
		} {
			if strings.Contains(detail, text) != (level == featurelevel.NewestRelease) {
				t.Errorf("%d: %q: %s", level, text, detail)
			}
		}
	}
}

// The server may compare a change with an older copy of the organization than it shows (server-behavior §O10). The
// change is still stored, and other settings are unchanged.
func TestProtocolOrganization_StaleServerCopy_Written(t *testing.T) {
	for name, test := range map[string]struct{ before, now, planned values }{
		"a permission": {
			before:  values{"can_create_groups": []any{"role:moderators"}},
			now:     values{"can_create_groups": []any{"role:administrators"}},
			planned: values{"can_create_groups": []any{"role:members"}},
		},
		"back to what the copy has": {
			before:  values{"description": "before", "can_create_groups": []any{"role:moderators"}},
			now:     values{"description": "now", "can_create_groups": []any{"role:administrators"}},
			planned: values{"description": "before", "can_create_groups": []any{"role:moderators"}},
		},
		"a permission and a setting": {
			before:  values{"waiting_period_threshold": 3, "can_invite_users_group": []any{"role:members"}},
			now:     values{"waiting_period_threshold": 5, "can_invite_users_group": []any{"role:moderators"}},
			planned: values{"waiting_period_threshold": 3, "can_invite_users_group": []any{"role:administrators"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, run := acctest.StartRun(t, organizationTypeName)
			run.MustApply(test.before)
			o.Fail(t, "PATCH /realm stale 1")
			run.MustApply(test.now)
			before := organizationHeld(t, o)
			run.MustApply(test.planned)
			// The next change is compared with the current values.
			sent := o.Sent()
			run.MustApply(test.now)
			if writes := sent.Writes(); len(writes) != 1 {
				t.Errorf("sent %v", writes)
			}
			if after := organizationHeld(t, o); !reflect.DeepEqual(after, before) {
				t.Errorf("the server holds %+v, and held %+v", after, before)
			}
		})
	}
}

// The plan of a new resource for something that exists shows no earlier values, so a warning does.
func TestProtocolOrganization_New_CurrentValues(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_organization")
	_, diags := run.Plan(values{"description": "Two", "can_create_groups": []any{"role:owners"}})
	diags.ExpectWarning(t, "", change.ManagedSummary, "of the organization were not managed until now", "\ndescription\n  now: ", "asks for: \"Two\"", "\ncan_create_groups\n  now:                        \"role:members\"")
	_, diags = o.NewRun(t, "zulip_default_user_settings").Plan(values{"color_scheme": "dark"})
	diags.ExpectWarning(t, "", change.ManagedSummary, "zulip_default_user_settings", "\ncolor_scheme\n  now:                        \"automatic\"", "asks for: \"dark\"")
}
