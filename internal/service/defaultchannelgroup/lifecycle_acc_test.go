package defaultchannelgroup_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// TestAccDefaultChannelGroup is the life of one through a real CLI: created with channels of the same run, planned empty,
// changed by hand and repaired, renamed, imported, ended.
func TestAccDefaultChannelGroup(t *testing.T) {
	org := acctest.Start(t)
	const address = typeName + ".x"
	config := func(name, description, channels string) string {
		return fmt.Sprintf(`
resource "zulip_channel" "a" { name = %q }
resource "zulip_channel" "b" { name = %q }
resource %q "x" {
  name        = %q
  description = %q
  channel_ids = [%s]
}
`, org.Prefix+"a", org.Prefix+"b", typeName, org.Prefix+name, description, channels)
	}
	const a, b = "zulip_channel.a.id", "zulip_channel.b.id"
	holds := func(name, description string, channels ...string) statecheck.StateCheck {
		return acctest.After(func() {
			var ids []int64
			for _, channel := range channels {
				ids = append(ids, org.MustChannel(t, org.Prefix+channel).ID)
			}
			expectHeld(t, org, org.Prefix+name, description, ids...)
		})
	}
	var sent *acctest.Sent
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(*terraform.State) error {
			if left := held(t, org, org.Prefix+"devs"); left != nil {
				return fmt.Errorf("there is still %v", left)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{
				Config: config("dev", "Developers", a),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("channel_ids"), knownvalue.SetSizeExact(1)), holds("dev", "Developers", "a"),
				},
			}, {
				Config:           config("dev", "Developers", a),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			}, {
				PreConfig: func() { byHand(t, org, org.Prefix+"dev", "add", "b"); sent = org.Sent() },
				Config:    config("dev", "Developers", a),
				ConfigStateChecks: []statecheck.StateCheck{
					holds("dev", "Developers", "a"), acctest.After(func() { sent.Expect(t, "PATCH op stream_names") }),
				},
			}, {
				Config:            config("devs", "All developers", a+", "+b),
				ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}},
				ConfigStateChecks: []statecheck.StateCheck{holds("devs", "All developers", "a", "b")},
			},
			{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateId: org.Prefix + "devs"},
			{ResourceName: address, ImportState: true, ImportStateVerify: true},
		},
	})
}
