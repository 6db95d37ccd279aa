package provider_test

import (
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// TestProtocolUnknownMayBeNull plans with values that are not known yet where a value would be wrong and null would not:
// the check is put off until the value is known.
func TestProtocolUnknownMayBeNull(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 130})
	for name, test := range map[string]struct {
		kind   string
		config acctest.Values
		wrong  acctest.Values // what is refused once it is known
	}{
		"message to a channel": {"zulip_message", acctest.Values{"channel": "general", "topic": "x", "content": "x"}, acctest.Values{"recipients": []any{"lena.fischer@example.com"}}},
		"message to people":    {"zulip_message", acctest.Values{"recipients": []any{"lena.fischer@example.com"}, "content": "x"}, acctest.Values{"channel": "general", "topic": "x"}},
		"draft":                {"zulip_draft", acctest.Values{"recipients": []any{"lena.fischer@example.com"}, "content": "x"}, acctest.Values{"topic": "x"}},
		"status":               {"zulip_user_status", acctest.Values{"status_text": "x"}, acctest.Values{"emoji_code": "1f334", "reaction_type": "unicode_emoji"}},
		"bot":                  {"zulip_bot", acctest.Values{"short_name": "x", "full_name": "X"}, acctest.Values{"payload_url": "https://example.com/", "interface": "slack"}},
		"profile field":        {"zulip_custom_profile_field", acctest.Values{"field_type": "short_text", "name": "X"}, acctest.Values{"subtype": "github", "url_pattern": "x"}},
		"profile field, level": {"zulip_custom_profile_field", acctest.Values{"field_type": "short_text", "name": "X"}, acctest.Values{"required": true}},
		"known service":        {"zulip_custom_profile_field", acctest.Values{"field_type": "external_account", "subtype": "github"}, acctest.Values{"name": "X", "hint": "x"}},
		"linkifier":            {"zulip_linkifier", acctest.Values{"pattern": "x", "url_template": "https://example.com"}, acctest.Values{"example_input": "x"}},
		"user":                 {"zulip_user", acctest.Values{"email": "nadia.haddad@example.com", "full_name": "Nadia"}, acctest.Values{"deactivation_notification_comment": "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			unknown, wrong := acctest.Values{}, acctest.Values{}
			for attribute, value := range test.config {
				unknown[attribute], wrong[attribute] = value, value
			}
			for attribute, value := range test.wrong {
				unknown[attribute], wrong[attribute] = acctest.Unknown, value
			}
			_, diags := o.NewRun(t, test.kind).Plan(wrong)
			if len(diags.Errors()) == 0 {
				t.Errorf("%v is not refused", wrong)
			}
			_, diags = o.NewRun(t, test.kind).Plan(unknown)
			for _, problem := range diags.Errors() {
				if _, put := test.wrong[problem.Attribute]; put {
					t.Errorf("%v: %s", unknown, problem)
				}
			}
		})
	}
}

// TestProtocolUnknownIsAnother plans, for what exists, that it is for somebody or something that is not known yet: that is
// another resource. An update that turns into a replacement during the apply is what the CLI refuses. On newer servers a
// bot with another short name is the same one.
func TestProtocolUnknownIsAnother(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.BotShortName - 1})
	const lena = "lena.fischer@example.com"
	for kind, test := range map[string]struct {
		attribute string
		config    acctest.Values
	}{
		"zulip_user_role":                     {"user", acctest.Values{"user": lena, "role": "moderator"}},
		"zulip_role_members":                  {"role", acctest.Values{"role": "moderator", "users": []any{"amara.okafor@example.com", lena}}},
		"zulip_user_status":                   {"user", acctest.Values{"user": lena, "status_text": "Away"}},
		"zulip_channel_subscription_settings": {"channel", acctest.Values{"channel": "general", "is_muted": true}},
		"zulip_user_group_membership":         {"group", acctest.Values{"group": "sre", "members": []any{"kenji.sato@example.com"}}},
		"zulip_message":                       {"recipients", acctest.Values{"recipients": []any{lena}, "content": "x"}},
		"zulip_invitation":                    {"email", acctest.Values{"email": "x@example.com"}},
		"zulip_domain":                        {"domain", acctest.Values{"domain": "example.org"}},
		"zulip_bot":                           {"short_name", acctest.Values{"short_name": "x", "full_name": "X"}},
		"zulip_reaction":                      {"emoji_name", acctest.Values{"message_id": 0, "emoji_name": "tada"}},
	} {
		if _, needed := test.config["message_id"]; needed {
			id, err := o.Client.SendMessage(t.Context(), zulip.Addressee{ChannelID: o.MustChannel(t, "general").ID, Topic: "votes"}, "Shall we?")
			if err != nil {
				t.Fatal(err)
			}
			test.config["message_id"] = id
		}
		run := o.NewRun(t, kind)
		run.MustApply(test.config)
		test.config[test.attribute] = acctest.Unknown
		if plan := run.MustPlan(test.config); !slices.Contains(plan.Replace, test.attribute) {
			t.Errorf("%s is to be replaced because of %v", kind, plan.Replace)
		}
	}
}
