package organization_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func TestProtocolOrganizationBadInput(t *testing.T) {
	o, run := acctest.StartRun(t, organizationTypeName)
	public, archived := o.MustChannel(t, "general").ID, o.MustChannel(t, "leads").ID
	o.Archive(t, "leads")
	for _, test := range []struct {
		attribute string
		value     any
		words     []string
	}{
		{"name", "", []string{"between 1 and 40"}},
		{"name", strings.Repeat("ä", 41), []string{"between 1 and 40"}},
		{"description", strings.Repeat("ä", 1001), []string{"at most 1000"}},
		{"org_type", "school", []string{`"education_nonprofit"`}},
		{"digest_weekday", "6", []string{`"sunday"`}},
		{"waiting_period_threshold", -1, []string{"between 0 and"}},
		{"message_retention_days", "0", []string{`must be a number of days from 1 to 999999999 or "unlimited"`}},
		{"message_content_edit_limit_seconds", "10m", []string{"must be a number of seconds from 1", `or "unlimited"`}},
		{"message_content_delete_limit_seconds", "-1", []string{`For no limit, write "unlimited"`}},
		{"jitsi_server_url", "meet.example.com", []string{"must be a URL like https://meet.example.com or \"default\""}},
		{"jitsi_server_url", "https://" + strings.Repeat("x", 200), []string{"at most 200"}},
		{"default_avatar_source", "G", []string{`"gravatar"`}},
		{"media_preview_size", 120, []string{"100", "150", "200"}},
		{"video_chat_provider", "webex", []string{"not set up for \"webex\"", "disabled, jitsi_meet"}},
		{"video_chat_provider", "zoom", []string{"not set up for \"zoom\"", "disabled, jitsi_meet"}},
		{"authentication_methods", []any{}, []string{"at least 1"}},
		{"authentication_methods", []any{"Email", "LDAP"}, []string{`The server has no "LDAP"`, "GitHub, GitLab"}},
		{"authentication_methods", []any{"Email", "SAML"}, []string{"SAML is not available", "You need to upgrade"}},
		{"signup_announcements_stream_id", 0, []string{"must be the ID of a channel, or -1 for none", "It is 0."}},
		{"signup_announcements_stream_id", -2, []string{"must be the ID of a channel, or -1 for none", "It is -2."}},
		{"signup_announcements_stream_id", 999999, []string{"no channel with the ID 999999"}},
		{"signup_announcements_stream_id", archived, []string{`Channel "leads" is archived`}},
		{"moderation_request_channel_id", public, []string{`Channel "general" is not private`}},
		{"can_create_groups", []any{"members"}, []string{"Invalid principal"}},
		{"can_create_groups", []any{"group:srr"}, []string{`"group:sre"`}},
		{"can_create_groups", []any{"role:everyone"}, []string{"role:everyone"}},
		{"can_manage_all_groups", []any{}, []string{"Not allowed for can_manage_all_groups"}},
		{"can_access_all_users_group", []any{"role:moderators"}, []string{"Not allowed for can_access_all_users_group"}},
		{"can_access_all_users_group", []any{"role:foo"}, []string{"The roles that can_access_all_users_group takes are role:members and role:everyone."}},
		{"can_manage_all_groups", []any{"role:foo"}, []string{"The roles that can_manage_all_groups takes are role:owners, role:administrators, role:moderators, role:fullmembers and role:members."}},
		{"can_create_web_public_channel_group", []any{"group:sre"}, []string{"Not allowed for can_create_web_public_channel_group"}},
	} {
		run.ExpectRefused(values{test.attribute: test.value}, test.attribute, test.words...)
	}
}

// This run may make a channel that it manages private.
func TestProtocolOrganization_ChannelMadePrivate_Accepted(t *testing.T) {
	o, run := acctest.StartRun(t, organizationTypeName)
	channel := o.NewRun(t, "zulip_channel")
	channel.MustApply(values{"name": "reports", "initial_subscribers": []any{o.Self.Address()}})
	wanted := values{"moderation_request_channel_id": channel.State.Values["id"]}
	p := run.Process()
	prior, diags := p.Read("zulip_channel", channel.State)
	diags.ExpectNoError(t)
	private := values{"name": "reports", "privacy": "private_shared_history", "initial_subscribers": []any{o.Self.Address()}}
	p.MustPlan("zulip_channel", prior, private)
	plan := p.MustPlan(organizationTypeName, nil, wanted)
	channel.MustApply(private)
	run.Apply(plan).ExpectNoError(t)
}

// A server that sends no digests would always show that they are off.
func TestProtocolOrganizationNoDigests(t *testing.T) {
	o, run := acctest.StartRun(t, organizationTypeName)
	answer := o.Call(t, http.MethodPost, "/register", map[string]string{
		"event_types": "[]", "fetch_event_types": text(t, []string{zulip.FetchRealm, zulip.FetchUserGroups, zulip.FetchUsers}),
		"client_capabilities": `{"notification_settings_null":true,"include_deactivated_groups":true}`,
	})
	answer["settings_send_digest_emails"] = false
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/register", Action: sandbox.FaultStatus, Status: http.StatusOK, Body: text(t, answer)})
	run.ExpectRefused(values{"digest_emails_enabled": true}, "digest_emails_enabled", "The server does not send digests", "SEND_DIGEST_EMAILS")
	_, diags := run.Plan(values{"digest_emails_enabled": false})
	diags.ExpectNoError(t)
}

// Owners can set all attributes, administrators most of them, and others none. One error names all attributes, and the
// roles that may set them.
func TestProtocolOrganizationCaller(t *testing.T) {
	o, _ := acctest.StartRun(t, organizationTypeName)
	config := values{"description": "new", "invite_required": false, "waiting_period_threshold": 3, "can_create_groups": []any{"role:moderators"}}
	for account, words := range map[string][]string{
		"owner":     nil,
		"admin":     {"cannot set invite_required, waiting_period_threshold, can_create_groups", "Only owners", "ines.moreau@example.com", "administrator"},
		"moderator": {"cannot change the organization", "administrators and owners"},
		"member":    {"cannot change the organization", "administrators and owners"},
	} {
		run := o.As(t, account).NewRun(t, organizationTypeName)
		_, diags := run.Plan(config)
		switch account {
		case "owner":
			diags.ExpectNoError(t)
		case "admin":
			diags.ExpectError(t, "invite_required", words...)
		default:
			diags.ExpectError(t, "", words...)
		}
		_, diags = run.Plan(values{"invite_required": true, "can_create_groups": []any{"role:members"}}) // as it is
		diags.ExpectNoError(t)
	}
}

// Two resources of a configuration can each set a part, but not different values of one attribute.
func TestProtocolOrganizationTwice(t *testing.T) {
	_, run := acctest.StartRun(t, organizationTypeName)
	p := run.Process()
	plan := func(config values) acctest.Diagnostics {
		_, diags := p.Plan(organizationTypeName, nil, config)
		return diags
	}
	plan(values{"description": "one", "can_create_groups": []any{"role:moderators"}}).ExpectNoError(t)
	plan(values{"name": "Two", "can_create_groups": []any{"role:moderators"}}).ExpectNoError(t)
	plan(values{"description": "two"}).ExpectError(t, "description", "Two resources set description of the organization", `"two"`)
	plan(values{"can_create_groups": []any{"role:members"}}).ExpectError(t, "can_create_groups", "Two resources set can_create_groups")
}
