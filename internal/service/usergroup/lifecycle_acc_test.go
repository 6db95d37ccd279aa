package usergroup_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const g = "zulip_user_group.g"

func texts(words ...string) knownvalue.Check {
	checks := make([]knownvalue.Check, len(words))
	for i, word := range words {
		checks[i] = knownvalue.StringExact(word)
	}
	return knownvalue.SetExact(checks)
}

func attribute(address, name string, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), want)
}

func action(address string, action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)}}
}

// deactivated fails unless every group of the test is deactivated.
func deactivated(t *testing.T, o *acctest.Organization) resource.TestCheckFunc {
	return func(*terraform.State) error {
		for _, one := range ownGroups(t, o) {
			if !one.Deactivated {
				return fmt.Errorf("user group %q is still active", one.Name)
			}
		}
		return nil
	}
}

func ownGroups(t *testing.T, o *acctest.Organization) []*zulip.UserGroup {
	t.Helper()
	groups, err := o.Client.UserGroups(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var own []*zulip.UserGroup
	for _, one := range groups {
		if strings.HasPrefix(one.Name, o.Prefix) {
			own = append(own, one)
		}
	}
	return own
}

// TestAccUserGroup is a group's life: made, changed, drifted and repaired, imported, deactivated and taken back.
func TestAccUserGroup(t *testing.T) {
	o := acctest.Start(t)
	self := o.Self.Address()
	name := o.Prefix + "ops"
	config := func(name string, more ...string) string {
		return fmt.Sprintf(`
resource "zulip_user_group" "below" {
  name    = %q
  members = [%q]
}

resource "zulip_user_group" "g" {
  name = %q
  %s
}`, o.Prefix+"below", self, name, strings.Join(more, "\n  "))
	}
	full := []string{
		`description = "Whoever is on call."`, fmt.Sprintf("members = [%q]", self), "subgroups = [zulip_user_group.below.name]",
		fmt.Sprintf(`can_manage_group = ["role:administrators", "user:%s"]`, self), `can_mention_group = ["group:${zulip_user_group.below.name}"]`, `can_leave_group = ["role:nobody"]`,
	}
	// These the state leaves out, and an import has.
	leftOut := []string{"can_add_members_group", "can_join_group", "can_remove_members_group", "creator_id", "date_created"}
	sent := o.Sent()
	sends := func(want ...string) statecheck.StateCheck {
		return acctest.After(func() { sent.Expect(t, want...); sent = o.Sent() })
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy:             deactivated(t, o),
		Steps: []resource.TestStep{
			{
				Config:           config(name),
				ConfigPlanChecks: action(g, plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{
					sends("POST description members name", "POST description members name"),
					attribute(g, "members", texts()), attribute(g, "subgroups", texts()), attribute(g, "description", knownvalue.Null()),
					attribute(g, "creator_id", knownvalue.Null()), attribute(g, "can_mention_group", knownvalue.Null()), attribute(g, "can_manage_group", knownvalue.Null()),
				},
			}, {
				Config:           config(name, full...),
				ConfigPlanChecks: action(g, plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{
					// Who is in it goes first, for the right to say so may be given away.
					sends("PATCH can_leave_group can_manage_group can_mention_group description", "POST add add_subgroups"),
					attribute(g, "subgroups", texts(o.Prefix+"below")), attribute(g, "members", texts(self)),
				},
			},
			{ResourceName: g, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: leftOut},
			{ResourceName: g, ImportState: true, ImportStateVerify: true, ImportStateId: name, ImportStateVerifyIgnore: leftOut},
			{ResourceName: g, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: name},
			{ // drift
				PreConfig: func() {
					description := "by hand"
					alter(t, o, name, zulip.UserGroupUpdate{Description: &description})
					members(t, o, name, zulip.MembershipChange{Delete: []int64{o.Self.ID}})
					sent = o.Sent()
				},
				Config:            config(name, full...),
				ConfigPlanChecks:  action(g, plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{sends("PATCH description", "POST add")},
			}, {
				Config:            config(name+"-renamed", full...),
				ConfigStateChecks: []statecheck.StateCheck{sends("PATCH name"), attribute(g, "name", knownvalue.StringExact(name+"-renamed"))},
			},
			{ // no longer managed is not changed
				Config:           config(name + "-renamed"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			}, {
				Config:            config(name+"-renamed", "members = []", "subgroups = []", "can_mention_group = []"),
				ConfigStateChecks: []statecheck.StateCheck{sends("PATCH can_mention_group", "POST delete delete_subgroups")},
			},
			{ // replaced: deactivated and taken back, for a name is never free again
				Taint:             []string{g},
				Config:            config(name+"-renamed", "members = []", "subgroups = []", "can_mention_group = []"),
				ConfigPlanChecks:  action(g, plancheck.ResourceActionDestroyBeforeCreate),
				ConfigStateChecks: []statecheck.StateCheck{sends("POST", "PATCH deactivated")},
			},
			{ // taken out and back
				Config: fmt.Sprintf("resource \"zulip_user_group\" \"below\" {\n  name = %q\n}", o.Prefix+"below"),
			}, {
				Config: config(name+"-renamed", "adopt_deactivated = true", fmt.Sprintf("members = [%q]", self)),
				ConfigStateChecks: []statecheck.StateCheck{acctest.After(func() {
					if len(ownGroups(t, o)) != 2 {
						t.Errorf("there are %d groups, not two", len(ownGroups(t, o)))
					}
				})},
			},
		},
	})
}

// TestAccUserGroupMembership adds to a group that others fill too.
func TestAccUserGroupMembership(t *testing.T) {
	o := acctest.Start(t)
	const m = "zulip_user_group_membership.m"
	name := o.Prefix + "shared"
	config := func(lists string) string {
		return fmt.Sprintf(`
resource "zulip_user_group" "shared" {
  name = %q
}

resource "zulip_user_group" "below" {
  name = "%sbelow"
}

resource "zulip_user_group_membership" "m" {
  group = zulip_user_group.shared.id
  %s
}`, name, o.Prefix, lists)
	}
	both := fmt.Sprintf("members = [%q]\n  subgroups = [zulip_user_group.below.name]", o.Self.Address())
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy:             deactivated(t, o),
		Steps: []resource.TestStep{
			{
				Config: config(both),
				ConfigStateChecks: []statecheck.StateCheck{
					attribute(m, "members", texts(o.Self.Address())),
					acctest.After(func() { holds(t, o, name, []string{o.Self.Address()}, []string{o.Prefix + "below"}) }),
				},
			},
			{Config: config(both), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
			{
				Config:            config(fmt.Sprintf("members = [%q]", o.Self.Address())),
				ConfigPlanChecks:  action(m, plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{acctest.After(func() { holds(t, o, name, []string{o.Self.Address()}, nil) })},
			},
			{
				PreConfig:         func() { members(t, o, name, zulip.MembershipChange{Delete: []int64{o.Self.ID}}) },
				Config:            config(fmt.Sprintf("members = [%q]", o.Self.Address())),
				ConfigPlanChecks:  action(m, plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{acctest.After(func() { holds(t, o, name, []string{o.Self.Address()}, nil) })},
			},
			{
				Config:             strings.Replace(config(both), "group = zulip_user_group.shared.id", "group = zulip_user_group.shared.name", 1) + "\n",
				PlanOnly:           true,
				ExpectNonEmptyPlan: true,
			},
			{
				Config:      strings.Replace(strings.Replace(config(both), "shared\"\n", "shared\"\n  members = []\n", 1), "zulip_user_group.shared.id", "zulip_user_group.shared.name", 1),
				ExpectError: acctest.Message("Two resources manage the members of this user group"),
			},
		},
	})
}
