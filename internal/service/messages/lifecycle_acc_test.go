package messages_test

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

// TestAccMessage is the life of one through a real CLI: made, planned empty, changed, imported, ended.
func TestAccMessage(t *testing.T) {
	org := acctest.Start(t)
	config := func(lines string) string {
		return fmt.Sprintf("resource \"zulip_channel\" \"c\" {\n  name = %q\n  initial_subscribers = [%q]\n}\n", org.Prefix+"message", org.Self.Address()) + lines
	}
	const address = "zulip_message.x"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config(`resource "zulip_message" "x" {
  channel = zulip_channel.c.id
  topic   = "plans"
  content = "First.\n"
}`),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("topic"), knownvalue.StringExact("plans"))},
			}, {
				Config: config(`resource "zulip_message" "x" {
  channel = zulip_channel.c.id
  topic   = "plans"
  content = "First."
}`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			}, {
				Config: config(`resource "zulip_message" "x" {
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

// TestAccScheduledMessage is the life of one through a real CLI: made, planned empty, changed, imported, ended.
func TestAccScheduledMessage(t *testing.T) {
	org := acctest.Start(t)
	config := func(lines string) string {
		return fmt.Sprintf("resource \"zulip_channel\" \"c\" {\n  name = %q\n  initial_subscribers = [%q]\n}\n", org.Prefix+"scheduledmessage", org.Self.Address()) + lines
	}
	const address = "zulip_scheduled_message.x"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config(`resource "zulip_scheduled_message" "x" {
  channel = zulip_channel.c.id
  topic   = "plans"
  content = "First.\n"
  scheduled_delivery_timestamp = "2099-01-15T09:00:00Z"
}`),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("topic"), knownvalue.StringExact("plans"))},
			}, {
				Config: config(`resource "zulip_scheduled_message" "x" {
  channel = zulip_channel.c.id
  topic   = "plans"
  content = "First."
  scheduled_delivery_timestamp = "2099-01-15T09:00:00Z"
}`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			}, {
				Config: config(`resource "zulip_scheduled_message" "x" {
  channel = zulip_channel.c.id
  topic   = "news"
  content = "Second."
  scheduled_delivery_timestamp = "2099-01-15T09:00:00Z"
}`),
				ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}},
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("topic"), knownvalue.StringExact("news"))},
			}, {
				ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: []string{"channel"},
			},
		},
	})
}

// TestAccReaction is the life of one through a real CLI: made, planned empty, changed, imported, ended.
func TestAccReaction(t *testing.T) {
	org := acctest.Start(t)
	config := func(lines string) string {
		return fmt.Sprintf("resource \"zulip_channel\" \"c\" {\n  name = %q\n  initial_subscribers = [%q]\n}\n", org.Prefix+"reaction", org.Self.Address()) + lines
	}
	const address = "zulip_reaction.x"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config(`resource "zulip_message" "m" {
  channel = zulip_channel.c.id
  topic   = "votes"
  content = "Shall we?"
}
resource "zulip_reaction" "x" {
  message_id = zulip_message.m.id
  emoji_name = "thumbs_up"
}`),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("emoji_code"), knownvalue.StringExact("1f44d"))},
			}, {
				Config: config(`resource "zulip_message" "m" {
  channel = zulip_channel.c.id
  topic   = "votes"
  content = "Shall we?"
}
resource "zulip_reaction" "x" {
  message_id = zulip_message.m.id
  emoji_name = "thumbs_up"
}`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			}, {
				Config: config(`resource "zulip_message" "m" {
  channel = zulip_channel.c.id
  topic   = "votes"
  content = "Shall we?"
}
resource "zulip_reaction" "x" {
  message_id = zulip_message.m.id
  emoji_name = "tada"
}`),
				ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionReplace)}},
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("emoji_code"), knownvalue.StringExact("1f389"))},
			}, {
				ResourceName: address, ImportState: true, ImportStateVerify: true,
			},
		},
	})
}
