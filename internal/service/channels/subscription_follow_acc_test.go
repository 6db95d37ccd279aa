package channels_test

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

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
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

func sortedAddresses(all []string) []string { return slices.Sorted(slices.Values(all)) }

// exactly plans these users in this order, known before the apply, and nothing after it.
func exactly(address string, users ...string) resource.ConfigPlanChecks {
	known := make([]knownvalue.Check, len(users))
	for i, user := range users {
		known[i] = knownvalue.StringExact(user)
	}
	return resource.ConfigPlanChecks{
		PreApply:             []plancheck.PlanCheck{plancheck.ExpectKnownValue(address, tfjsonpath.New("users"), knownvalue.ListExact(known))},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
}

// TestAccAChannelFollowsAGroup: everything is created in one apply, and every change of the group is one apply, which the plan
// lists exactly.
func TestAccSubscriptionAChannelFollowsAGroup(t *testing.T) {
	const list = "zulip_channel_subscribers.vault"
	inOrderOf := func(all []string) []string { return all }
	for name, follow := range map[string]struct {
		users   string
		planned func(all []string) []string // setunion sorts
		members func(all []string) string
	}{
		"members": {"zulip_user_group.press.members", inOrderOf, func(all []string) string {
			return fmt.Sprintf(`resource "zulip_user_group" "press" {
  name    = "press"
  members = %s
}`, quoted(all...))
		}},
		"membership": {"zulip_user_group_membership.press.members", inOrderOf, func(all []string) string {
			return fmt.Sprintf(`resource "zulip_user_group" "press" {
  name = "press"
}
resource "zulip_user_group_membership" "press" {
  group   = zulip_user_group.press.name
  members = %s
}`, quoted(all...))
		}},
		"nested": {"setunion(zulip_user_group.press.members, zulip_user_group.web.members)", sortedAddresses, func(all []string) string {
			return fmt.Sprintf(`resource "zulip_user_group" "web" {
  name    = "web"
  members = %s
}
resource "zulip_user_group" "press" {
  name      = "press"
  members   = [%q]
  subgroups = [zulip_user_group.web.name]
}`, quoted(all[1:]...), all[0])
		}},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			config := func(all ...string) string {
				return follow.members(all) + fmt.Sprintf(`
resource "zulip_channel" "vault" {
  name    = "vault"
  privacy = "private_shared_history"
}
resource "zulip_channel_subscribers" "vault" {
  channel = zulip_channel.vault.id
  users   = %[1]s
}
resource "zulip_channel_subscription" "announcements" {
  channel = "announcements"
  users   = %[1]s
}`, follow.users)
			}
			step := func(all ...string) resource.TestStep {
				return resource.TestStep{Config: config(all...), ConfigPlanChecks: exactly(list, follow.planned(all)...), ConfigStateChecks: []statecheck.StateCheck{inChannel(t, o, "vault", all...)}}
			}
			resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories, Steps: []resource.TestStep{
				step(owner, admin), step(owner, admin, guest), step(owner, guest, member), step(owner, member),
			}})
		})
	}
}

// TestAccSubscriptionAChannelFollowsAGroupManagedElsewhere reads the members of a group and of a role, subgroups included.
func TestAccSubscriptionAChannelFollowsAGroupManagedElsewhere(t *testing.T) {
	const list = "zulip_channel_subscribers.hall"
	o := acctest.StartSandbox(t, sandbox.Config{})
	hall(t, o, "hall")
	web := o.NewRun(t, "zulip_user_group")
	web.MustApply(values{"name": "web", "members": texts(member)})
	press := o.NewRun(t, "zulip_user_group")
	press.MustApply(values{"name": "press", "members": texts(admin), "subgroups": texts("web")})
	config := `
data "zulip_user_group" "press" {
  name = "press"
}
data "zulip_user_group" "owners" {
  name = "role:owners"
}
resource "zulip_channel_subscribers" "hall" {
  channel = "hall"
  users   = setunion(data.zulip_user_group.press.all_members, data.zulip_user_group.owners.all_members)
}`
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories, Steps: []resource.TestStep{
		{Config: config, ConfigPlanChecks: exactly(list, sortedAddresses([]string{owner, admin, member})...), ConfigStateChecks: []statecheck.StateCheck{inChannel(t, o, "hall", owner, admin, member)}},
		{
			PreConfig: func() { web.MustApply(values{"name": "web", "members": texts(member, guest)}) },
			Config:    config, ConfigPlanChecks: exactly(list, sortedAddresses([]string{owner, admin, member, guest})...), ConfigStateChecks: []statecheck.StateCheck{inChannel(t, o, "hall", owner, admin, member, guest)},
		},
	}})
}

// TestAccSubscriptionAGroupThatIsReadLateEmptiesNoChannel is the defect through a real CLI: a data source reads the group when it is made
// and not yet filled, for nothing tells that the membership comes before.
func TestAccSubscriptionAGroupThatIsReadLateEmptiesNoChannel(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	private(t, o, "vault", nil, owner, admin, member)
	taken := `
resource "zulip_channel_subscribers" "vault" {
  channel = "vault"
  users   = %s
}`
	late := `
resource "zulip_user_group" "press" {
  name = "press"
}
data "zulip_user_group" "press" {
  id = zulip_user_group.press.id
}
resource "zulip_user_group_membership" "press" {
  group   = zulip_user_group.press.name
  members = %s
}`
	all := []string{owner, admin, member}
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories, Steps: []resource.TestStep{
		{Config: fmt.Sprintf(taken, quoted(all...))},
		{
			Config:             fmt.Sprintf(late, quoted(owner, admin)) + fmt.Sprintf(taken, "data.zulip_user_group.press.all_members"),
			ConfigPlanChecks:   resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction("zulip_channel_subscribers.vault", plancheck.ResourceActionNoop)}},
			ConfigStateChecks:  []statecheck.StateCheck{inChannel(t, o, "vault", all...)},
			ExpectNonEmptyPlan: true,
		},
		{
			Config:            fmt.Sprintf(late, quoted(owner, admin)) + fmt.Sprintf(taken, "data.zulip_user_group.press.all_members"),
			ConfigPlanChecks:  exactly("zulip_channel_subscribers.vault", owner, admin),
			ConfigStateChecks: []statecheck.StateCheck{inChannel(t, o, "vault", owner, admin)},
		},
	}})
}
