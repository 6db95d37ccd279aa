package provider_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestProtocolMadeBeforeTheEnd makes what has no name of its own a second time and then ends the first, in one apply, as
// create_before_destroy does. It is there afterwards, people in channels and groups too, and the next plan is empty.
func TestProtocolMadeBeforeTheEnd(t *testing.T) {
	for kind, config := range map[string]acctest.Values{
		"zulip_channel_subscription":          {"channel": "leads", "users": []any{"kenji.sato@example.com", "amara.okafor@example.com"}},
		"zulip_user_group_membership":         {"group": "leads", "members": []any{"kenji.sato@example.com"}},
		"zulip_channel_subscription_settings": {"channel": "general", "is_muted": true},
		"zulip_draft":                         {"content": "To be said"},
		"zulip_invite_link":                   {"expires_in_minutes": 60},
		"zulip_message":                       {"channel": "general", "topic": "rules", "content": "Be kind"},
		"zulip_scheduled_message":             {"channel": "general", "topic": "rules", "content": "Later", "scheduled_delivery_timestamp": "2035-01-01T00:00:00Z"},
		"zulip_user_role":                     {"user": "lena.fischer@example.com", "role": "moderator", "on_destroy": "member"},
		"zulip_user_status":                   {"status_text": "Away", "emoji_name": "palm_tree"},
	} {
		t.Run(kind, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			run := o.NewRun(t, kind)
			run.MustApply(config)

			end := run.MustPlan(nil)
			p := run.Process() // the apply's, which has not read what ends
			begin, diags := p.Plan(kind, nil, config)
			diags.ExpectNoError(t)
			made, diags := p.Apply(begin)
			diags.ExpectNoError(t)
			_, diags = p.Apply(end)
			diags.ExpectNoError(t)

			run.State = made
			if plan := run.MustPlan(config); !plan.Empty() {
				t.Errorf("after the apply the plan still changes %q", plan.Changes())
			}
		})
	}
}
