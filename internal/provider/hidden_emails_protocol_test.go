package provider_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// A state knows whom an email names. A user who hides their email later stops no plan and changes none.
func TestProtocolHiddenEmail_KnownToState_Found(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	const lena = "lena.fischer@example.com"
	hide := func(visibility string) {
		o.WithAccount(t, "member").Call(t, "PATCH", "/settings", map[string]string{"email_address_visibility": visibility})
	}
	o.Call(t, "POST", "/channels/create", map[string]string{"name": "hall", "subscribers": "[]"})
	o.Call(t, "POST", "/channels/create", map[string]string{"name": "cellar", "subscribers": "[]"})
	for kind, config := range map[string]values{
		"zulip_channel_subscribers":   {"channel": "hall", "users": []any{lena}},
		"zulip_channel_subscription":  {"channel": "cellar", "users": []any{lena}},
		"zulip_user_group":            {"name": "writers", "members": []any{lena}, "can_mention_group": []any{"user:" + lena}},
		"zulip_user_group_membership": {"group": "sre", "members": []any{lena}},
		"zulip_bot":                   {"short_name": "spy", "full_name": "Spy", "owner": lena},
		"zulip_user_role":             {"user": lena, "role": "member"},
		"zulip_user_status":           {"user": lena, "status_text": "away"},
		"zulip_role_members":          {"role": "moderator", "users": []any{"amara.okafor@example.com", lena}},
	} {
		t.Run(kind, func(t *testing.T) {
			run := o.NewRun(t, kind)
			run.MustApply(config)
			hide("4")
			defer hide("1")
			sent := o.Sent()
			if !run.MustPlan(config).Empty() {
				t.Error("the plan has changes")
			}
			run.MustApply(config)
			sent.Expect(t)
		})
	}
}
