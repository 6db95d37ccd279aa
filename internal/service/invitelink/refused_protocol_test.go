package invitelink_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

func TestProtocolInviteLinkBadInput(t *testing.T) {
	o, run := managed(t)
	o.Call(t, http.MethodPost, "/channels/create", map[string]string{"name": "old", "subscribers": "[]"})
	o.Archive(t, "old")
	group := o.Call(t, http.MethodPost, "/user_groups/create", map[string]string{"name": "old", "description": "", "members": "[]"})["group_id"]
	o.Call(t, http.MethodPost, fmt.Sprintf("/user_groups/%v/deactivate", group), nil)
	for _, c := range []struct {
		config    values
		attribute string
		words     []string
	}{
		{values{"expires_in_minutes": 0}, "expires_in_minutes", []string{"between 1 and 1000000000"}},
		{values{"invite_as": "boss"}, "invite_as", []string{"boss"}},
		{values{"channel_ids": []any{999999}}, "channel_ids", []string{"no channel with the ID 999999", "zulip_channels lists those it sees"}},
		{values{"channel_ids": []any{o.MustChannel(t, "old").ID}}, "channel_ids", []string{`"old"`, "archived"}},
		{values{"group_ids": []any{999999}}, "group_ids", []string{"no user group with the ID 999999", "zulip_user_groups lists all"}},
		{values{"group_ids": []any{int(group.(float64))}}, "group_ids", []string{`"old"`, "deactivated"}}, //nolint:forcetypeassert // a number
		{values{"group_ids": []any{o.SystemGroup(t, "role:members")}}, "group_ids", []string{"role:members", "set invite_as"}},
		{values{"welcome_message_custom_text": strings.Repeat("w", 8001)}, "welcome_message_custom_text", []string{"8000"}},
	} {
		_, diags := run.Plan(c.config)
		diags.ExpectError(t, c.attribute, c.words...)
	}
	run.MustPlan(values{
		"expires_in_minutes": acctest.Unknown, "invite_as": acctest.Unknown, "channel_ids": []any{acctest.Unknown}, "group_ids": acctest.Unknown,
		"include_realm_default_subscriptions": acctest.Unknown, "welcome_message_custom_text": acctest.Unknown,
	})
}

// Who may not make the link learns it from the plan.
func TestProtocolInviteLinkCaller(t *testing.T) {
	o, _ := managed(t)
	refused := func(account string, config values, attribute string, words ...string) {
		t.Helper()
		_, diags := o.As(t, account).NewRun(t, kind).Plan(config)
		diags.ExpectError(t, attribute, words...)
	}
	refused("bot", values{}, "", "A bot cannot make invitation links", "a person's account")
	refused("guest", values{}, "", "A guest cannot make invitation links")
	refused("member", values{}, "", "may not make invitation links", "create_multiuse_invite_group", "role:administrators")
	refused("admin", values{"invite_as": "owner"}, "invite_as", "may not invite owners", "administrator")
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"create_multiuse_invite_group": fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:members"))})
	refused("member", values{"invite_as": "moderator"}, "invite_as", "may not invite moderators")
	refused("moderator", values{"invite_as": "moderator"}, "invite_as", "may not invite moderators")
	refused("moderator", values{"invite_as": "administrator"}, "invite_as", "may not invite administrators")
	refused("member", values{"welcome_message_custom_text": ""}, "welcome_message_custom_text", "may not choose the welcome message")

	member := o.As(t, "member")
	run := member.NewRun(t, kind)
	run.MustApply(values{"invite_as": "guest"})
	if made := only(t, o); made.InvitedByUserID != member.Self.ID {
		t.Errorf("made by %d, want %d", made.InvitedByUserID, member.Self.ID)
	}
}

// What the plan cannot know is explained when the server refuses it.
func TestProtocolInviteLinkRefused(t *testing.T) {
	o, _ := managed(t)
	o.Call(t, http.MethodPatch, "/realm", map[string]string{
		"create_multiuse_invite_group": fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:members")),
		"can_add_subscribers_group":    fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:nobody")),
	})
	incidents, group := o.MustChannel(t, "announcements").ID, o.Group(t, "closed")
	o.Call(t, http.MethodPatch, fmt.Sprintf("/user_groups/%d", group), map[string]string{"can_add_members_group": fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:nobody"))})
	run := o.As(t, "member").NewRun(t, kind)
	run.Apply(run.MustPlan(values{"channel_ids": []any{incidents}})).ExpectError(t, "", "not a default channel")
	run.Apply(run.MustPlan(values{"group_ids": []any{group}})).ExpectError(t, "", "Insufficient permission", "group_ids")
	hidden := o.As(t, "admin").Call(t, http.MethodPost, "/channels/create", map[string]string{"name": "hidden", "subscribers": "[]", "invite_only": "true"})["id"]
	run = o.NewRun(t, kind)
	run.Apply(run.MustPlan(values{"channel_ids": []any{int(hidden.(float64))}})).ExpectError(t, "", "Invalid channel ID", "The channel is private") //nolint:forcetypeassert // a number
}

func TestProtocolInviteLinkOldServer(t *testing.T) {
	for _, c := range []struct {
		level     int
		config    values
		attribute string
	}{
		{125, values{}, ""},
		{260, values{"include_realm_default_subscriptions": false}, "include_realm_default_subscriptions"},
		{321, values{"group_ids": []any{}}, "group_ids"},
		{415, values{"welcome_message_custom_text": ""}, "welcome_message_custom_text"},
	} {
		o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: c.level})
		_, diags := o.NewRun(t, kind).Plan(c.config)
		diags.ExpectError(t, c.attribute, fmt.Sprintf("feature level %d; the server has %d", c.level+1, c.level))
	}
}
