package subscription_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// TestAccChannelSubscribers is the life of both kinds through a real CLI, with channels that are made in the same apply.
// The account itself is the only person it knows to be there.
func TestAccChannelSubscribers(t *testing.T) {
	org := acctest.Start(t)
	const list, some = "zulip_channel_subscribers.list", "zulip_channel_subscription.some"
	self := fmt.Sprintf("%q", org.Self.Address())
	config := func(listed, among string) string {
		return fmt.Sprintf(`
resource "zulip_channel" "list" {
  name = "%[1]slist"
}
resource "zulip_channel" "some" {
  name = "%[1]ssome"
}
resource "zulip_channel_subscribers" "list" {
  channel = zulip_channel.list.id
  users   = [%[2]s]
}
%[3]s`, org.Prefix, listed, among)
	}
	among := fmt.Sprintf(`resource "zulip_channel_subscription" "some" {
  channel = zulip_channel.some.id
  users   = ["%d"]
}
`, org.Self.ID)
	in := func(channel string, want ...int64) statecheck.StateCheck {
		return acctest.After(func() {
			if got := org.Subscribers(t, org.Prefix+channel); !slices.Equal(got, want) {
				t.Errorf("in %s are %v, want %v", channel, got, want)
			}
		})
	}
	empty := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	update := func(address string) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{Config: config(self, among), ConfigStateChecks: []statecheck.StateCheck{in("list", org.Self.ID), in("some", org.Self.ID)}},
			{Config: config(self, among), ConfigPlanChecks: empty},
			{
				PreConfig: func() {
					for _, channel := range []string{"list", "some"} {
						if _, err := org.Client.Unsubscribe(t.Context(), org.Prefix+channel, []int64{org.Self.ID}); err != nil {
							t.Fatal(err)
						}
					}
				},
				Config: config(self, among), ConfigPlanChecks: update(some),
				ConfigStateChecks: []statecheck.StateCheck{in("list", org.Self.ID), in("some", org.Self.ID)},
			},
			{
				ResourceName: list, ImportState: true, ImportStateVerify: true, ImportStateId: org.Prefix + "list",
				ImportStateVerifyIdentifierAttribute: "channel_id", ImportStateVerifyIgnore: []string{"channel"},
			},
			{Config: config("", ""), ConfigPlanChecks: update(list), ConfigStateChecks: []statecheck.StateCheck{in("list"), in("some")}},
		},
	})
}
