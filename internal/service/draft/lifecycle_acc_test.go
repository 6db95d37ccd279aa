package draft_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// TestAccDraft is the life of one through a real CLI: made, planned empty, changed, imported, ended.
func TestAccDraft(t *testing.T) {
	org := acctest.Start(t)
	config := func(lines string) string {
		return fmt.Sprintf("resource \"zulip_channel\" \"c\" {\n  name = %q\n  initial_subscribers = [%q]\n}\n", org.Prefix+"draft", org.Self.Address()) + lines
	}
	const address = "zulip_draft.x"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config(`resource "zulip_draft" "x" {
  channel = zulip_channel.c.id
  topic   = "plans"
  content = "First.\n"
}`),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("topic"), knownvalue.StringExact("plans"))},
			}, {
				Config: config(`resource "zulip_draft" "x" {
  channel = zulip_channel.c.id
  topic   = "plans"
  content = "First."
}`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			}, {
				Config: config(`resource "zulip_draft" "x" {
  channel = zulip_channel.c.id
  topic   = "news"
  content = "Second."
}`),
				ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}},
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("topic"), knownvalue.StringExact("news"))},
			}, {
				ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: []string{"channel"},
			},
		},
	})
}
