package channels_test

import (
	"fmt"
	"slices"
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
			if left := defaultChannelGroupHeld(t, org, org.Prefix+"devs"); left != nil {
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
				PreConfig: func() { defaultChannelGroupByHand(t, org, org.Prefix+"dev", "add", "b"); sent = org.Sent() },
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

// TestAccSubscriptionChannelSubscribers is the life of both kinds through a real CLI, with channels that are made in the same apply.
// The account itself is the only person it knows to be there.
func TestAccSubscriptionChannelSubscribers(t *testing.T) {
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
