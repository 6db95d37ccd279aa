package subscription_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// inChannel checks who is in a channel of the sandbox after a step.
func inChannel(t *testing.T, o *acctest.Organization, channel string, addresses ...string) statecheck.StateCheck {
	return acctest.After(func() {
		t.Helper()
		expectIn(t, o, channel, addresses...)
	})
}

func quoted(addresses ...string) string {
	return `["` + strings.Join(addresses, `", "`) + `"]`
}

// TestAccGroupsAsSubscribers changes a group, and the subscribers of two channels with it, in one apply.
func TestAccGroupsAsSubscribers(t *testing.T) {
	const list, some = "zulip_channel_subscribers.list", "zulip_channel_subscription.some"
	for _, level := range []int{371, 442, featurelevel.Newest} {
		t.Run(fmt.Sprint(level), func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
			config := func(members []string, more ...string) string {
				return fmt.Sprintf(`
resource "zulip_user_group" "team" {
  name    = "team"
  members = %s
}
resource "zulip_channel" "list" {
  name = "list"
}
resource "zulip_channel" "some" {
  name = "some"
}
resource "zulip_channel_subscribers" "list" {
  channel = zulip_channel.list.id
  users   = [%q]
  groups  = [zulip_user_group.team.id]
  %[3]s
}
resource "zulip_channel_subscription" "some" {
  channel = zulip_channel.some.id
  groups  = [zulip_user_group.team.id]
  %[3]s
}`, quoted(members...), owner, strings.Join(more, "\n"))
			}
			empty := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
			updates := func(ids ...string) resource.ConfigPlanChecks {
				checks := []plancheck.PlanCheck{}
				for _, address := range []string{list, some} {
					checks = append(checks, plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate))
					if len(ids) > 0 {
						checks = append(checks, plancheck.ExpectKnownValue(address, tfjsonpath.New("group_user_ids"), numbers(t, o, ids...)))
					}
				}
				return resource.ConfigPlanChecks{PreApply: checks, PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
			}
			byHand := func(do func()) func() { return do }
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories,
				Steps: []resource.TestStep{
					{Config: config([]string{member}), ConfigStateChecks: []statecheck.StateCheck{inChannel(t, o, "list", owner, member), inChannel(t, o, "some", member)}},
					{
						Config: config([]string{member, member2}), ConfigPlanChecks: updates(member, member2),
						ConfigStateChecks: []statecheck.StateCheck{inChannel(t, o, "list", owner, member, member2), inChannel(t, o, "some", member, member2)},
					},
					{Config: config([]string{member, member2}), ConfigPlanChecks: empty},
					{
						Config: config([]string{guest}), ConfigPlanChecks: updates(guest),
						ConfigStateChecks: []statecheck.StateCheck{inChannel(t, o, "list", owner, guest), inChannel(t, o, "some", guest)},
					},
					{ // somebody leaves by themselves
						PreConfig: byHand(func() {
							unsubscribe(t, o, "list", guest)
							unsubscribe(t, o, "some", guest)
						}),
						Config: config([]string{guest}, "resubscribe = false"), ConfigPlanChecks: updates(),
						ConfigStateChecks: []statecheck.StateCheck{inChannel(t, o, "list", owner), inChannel(t, o, "some")},
					},
					{Config: config([]string{guest}, "resubscribe = false"), ConfigPlanChecks: empty},
					{
						PreConfig: byHand(func() { subscribe(t, o, "list", guest); subscribe(t, o, "some", guest) }),
						Config:    config([]string{guest}, "resubscribe = false"), ConfigPlanChecks: empty,
					},
					{
						PreConfig: byHand(func() { unsubscribe(t, o, "list", guest); unsubscribe(t, o, "some", guest) }),
						Config:    config([]string{guest}, "resubscribe = false"), ConfigPlanChecks: empty,
					},
					{
						Config: config([]string{guest}, "resubscribe = true"), ConfigPlanChecks: updates(guest),
						ConfigStateChecks: []statecheck.StateCheck{inChannel(t, o, "list", owner, guest), inChannel(t, o, "some", guest)},
					},
				},
			})
		})
	}
}

// numbers are the IDs of people, ascending.
func numbers(t *testing.T, o *acctest.Organization, addresses ...string) knownvalue.Check {
	t.Helper()
	ids := []int64{}
	for _, address := range addresses {
		ids = append(ids, idOf(t, o, address))
	}
	slices.Sort(ids)
	checks := make([]knownvalue.Check, len(ids))
	for i, id := range ids {
		checks[i] = knownvalue.Int64Exact(id)
	}
	return knownvalue.ListExact(checks)
}

// TestAccGroupsByNameOrMembership change in the same apply as groups of which Terraform does not know that they come before:
// the apply goes through, and with the next one everything is as configured.
func TestAccGroupsByNameOrMembership(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	hall(t, o, "hall")
	config := func(members, added []string) string {
		return fmt.Sprintf(`
resource "zulip_user_group" "inner" {
  name    = "inner"
  members = %s
}
resource "zulip_user_group" "outer" {
  name      = "outer"
  subgroups = [zulip_user_group.inner.name]
}
resource "zulip_user_group_membership" "outer" {
  group   = zulip_user_group.outer.id
  members = %s
}
resource "zulip_user_role" "moderator" {
  user = %q
  role = %q
}
resource "zulip_channel_subscribers" "hall" {
  channel    = "hall"
  groups     = ["outer", "role:owners"]
  depends_on = [zulip_user_group.outer]
}
resource "zulip_channel" "new" {
  name = "new"
}
resource "zulip_channel_subscription" "new" {
  channel = zulip_channel.new.id
  groups  = [zulip_user_group.outer.id, "role:moderators"]
}`, quoted(members...), quoted(added...), guest, map[bool]string{true: "guest", false: "moderator"}[len(members) == 1])
	}
	first, second := config([]string{member}, []string{admin}), config([]string{member, member2}, []string{moderator})
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{Config: first, ExpectNonEmptyPlan: true},
			{Config: first, ConfigStateChecks: []statecheck.StateCheck{inChannel(t, o, "hall", owner, member, admin)}},
			{Config: second, ExpectNonEmptyPlan: true},
			{Config: second, ConfigStateChecks: []statecheck.StateCheck{
				inChannel(t, o, "hall", owner, member, member2, moderator),
				inChannel(t, o, "new", owner, admin, member, member2, moderator, guest, botAddress(t, o)),
			}},
			{Config: second, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		},
	})
}

// TestAccGroupsMeanwhile changes a group by hand between plan and apply.
func TestAccGroupsMeanwhile(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	hall(t, o, "hall")
	id := newGroup(t, o, "team", []string{member})
	const config = `
resource "zulip_channel_subscription" "x" {
  channel = "hall"
  groups  = ["team"]
}`
	during := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{acctest.Between(func() { join(t, o, id, guest) })}}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() { join(t, o, id, member2) }, Config: config, ConfigPlanChecks: during,
				ExpectError: acctest.Message("Joined since: " + guest),
			},
			{
				PreConfig: func() { expectIn(t, o, "hall", member) }, Config: config,
				ConfigStateChecks: []statecheck.StateCheck{inChannel(t, o, "hall", member, member2, guest)},
			},
		},
	})
	hall(t, o, "other")
	first := strings.Replace(config, "hall", "other", 1)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: first, ExpectError: acctest.Message("inconsistent final plan"), // no state says who was in the group
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{acctest.Between(func() { join(t, o, id, admin) })}},
			},
			{PreConfig: func() { expectIn(t, o, "other") }, Config: first, ConfigStateChecks: []statecheck.StateCheck{inChannel(t, o, "other", admin, member, member2, guest)}},
		},
	})
}
