package provider_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// TestProtocolMadeBeforeTheEnd makes a thing a second time and then ends the first, in one apply: as create_before_destroy
// does, and a resource that gets another key of for_each. The thing is there afterwards, and the next plan is empty.
func TestProtocolMadeBeforeTheEnd(t *testing.T) {
	for kind, config := range map[string]acctest.Values{
		"zulip_channel_folder":                {"name": "Incidents"},
		"zulip_channel_subscription_settings": {"channel": "general", "is_muted": true},
		"zulip_code_playground":               {"name": "Play", "pygments_language": "Go", "url_template": "https://play.example.com/{code}"},
		"zulip_custom_profile_field":          {"field_type": "short_text", "name": "Team"},
		"zulip_domain":                        {"domain": "Example.org"},
		"zulip_draft":                         {"content": "To be said"},
		"zulip_invite_link":                   {"expires_in_minutes": 60},
		"zulip_linkifier":                     {"pattern": "#(?P<id>[0-9]+)", "url_template": "https://example.com/{id}"},
		"zulip_message":                       {"channel": "general", "topic": "rules", "content": "Be kind"},
		"zulip_reaction":                      {"emoji_name": "tada"},
		"zulip_scheduled_message":             {"channel": "general", "topic": "rules", "content": "Later", "scheduled_delivery_timestamp": "2035-01-01T00:00:00Z"},
		"zulip_user_role":                     {"user": "lena.fischer@example.com", "role": "moderator", "on_destroy": "member"},
		"zulip_user_status":                   {"status_text": "Away", "emoji_name": "palm_tree"},
	} {
		t.Run(kind, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			if kind == "zulip_reaction" {
				id, err := o.Client.SendMessage(t.Context(), zulip.Addressee{ChannelID: o.MustChannel(t, "general").ID, Topic: "votes"}, "Shall we?")
				if err != nil {
					t.Fatal(err)
				}
				config["message_id"] = id
			}
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
