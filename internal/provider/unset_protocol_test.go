package provider_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// In the plan of a new object, unset attributes are known, so that a review can distinguish them from unknown values.
// The state has the planned values, and the next plan changes nothing.
func TestProtocolCreate_UnsetAttributes_NotUnknown(t *testing.T) {
	for of, config := range map[string]values{
		"zulip_bot":                   {"short_name": "news", "full_name": "News"},
		"zulip_channel":               {"name": "news"},
		"zulip_channel_folder":        {"name": "News"},
		"zulip_custom_profile_field":  {"name": "Office", "field_type": "short_text"},
		"zulip_default_channel_group": {"name": "news"},
		"zulip_default_user_settings": {},
		"zulip_domain":                {"domain": "example.org"},
		"zulip_invitation":            {"email": "nia@example.com"},
		"zulip_invite_link":           {},
		"zulip_linkifier":             {"pattern": "N-(?P<id>[0-9]+)", "url_template": "https://example.org/{id}"},
		"zulip_organization":          {},
		"zulip_user":                  {"email": "nia@example.com", "full_name": "Nia"},
		"zulip_user_group":            {"name": "news"},
	} {
		t.Run(of, func(t *testing.T) {
			run := acctest.NewSandbox(t, sandbox.Config{}).NewRun(t, of)
			plan := run.MustPlan(config)
			for _, name := range run.Process().Configurable(of) {
				if planned := fmt.Sprint(plan.Values[name]); planned == "(known after apply)" {
					t.Errorf("%s is planned as %s", name, planned)
				}
			}
			run.Apply(plan).ExpectNoError(t)
			if again := run.MustPlan(config); !again.Empty() {
				t.Errorf("the next plan changes %q", again.Changes())
			}
		})
	}
}
