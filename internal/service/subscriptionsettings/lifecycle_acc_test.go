package subscriptionsettings_test

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

// TestAccChannelSubscriptionSettings is the life of one through a real CLI: made, planned empty, changed, imported, ended.
func TestAccChannelSubscriptionSettings(t *testing.T) {
	org := acctest.Start(t)
	config := func(lines string) string {
		return fmt.Sprintf("resource \"zulip_channel\" \"c\" {\n  name = %q\n  initial_subscribers = [%q]\n}\n", org.Prefix+"subscriptionsettings", org.Self.Address()) + lines
	}
	const address = "zulip_channel_subscription_settings.x"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config(`resource "zulip_channel_subscription_settings" "x" {
  channel    = zulip_channel.c.id
  color      = "#76ce90"
  pin_to_top = true
}`),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("pin_to_top"), knownvalue.Bool(true))},
			}, {
				Config: config(`resource "zulip_channel_subscription_settings" "x" {
  channel    = zulip_channel.c.id
  color      = "#76ce90"
  pin_to_top = true
}`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			}, {
				Config: config(`resource "zulip_channel_subscription_settings" "x" {
  channel    = zulip_channel.c.id
  color      = "#76ce90"
  pin_to_top = false
}`),
				ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}},
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("pin_to_top"), knownvalue.Bool(false))},
			}, {
				ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: []string{"channel"},
				ImportStateId: org.Prefix + "subscriptionsettings", ImportStateVerifyIdentifierAttribute: "channel_id",
			},
		},
	})
}
