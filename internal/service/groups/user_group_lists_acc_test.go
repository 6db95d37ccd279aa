package groups_test

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
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Members who are known only in the apply wait for the next one, and with them all that the resource would change: so the CLI,
// which plans once more in the apply, finds the same.
func TestAccUserGroupSandboxMembersThatAreNotKnownWait(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	config := func(member, description string) string {
		return strings.NewReplacer("MEMBER", member, "DESCRIPTION", description).Replace(`
resource "terraform_data" "who" {
  input = jsonencode(["MEMBER", "amara.okafor@example.com"])
}

resource "zulip_user_group" "ops" {
  name        = "ops"
  description = "DESCRIPTION"
  members     = jsondecode(terraform_data.who.output)
}

resource "zulip_user_group_membership" "leads" {
  group     = "leads"
  members   = jsondecode(terraform_data.who.output)
  subgroups = ["role:DESCRIPTION"]
}
`)
	}
	w.Configure(t, config(lena, "members"))
	w.Must(t, "apply", "-auto-approve")
	holds(t, o, "ops", []string{lena, amara}, nil)
	holds(t, o, "leads", []string{ines, lena, amara}, []string{"sre", "role:members"})

	w.Configure(t, config(kenji, "moderators"))
	printed := w.Must(t, "apply", "-auto-approve")
	for _, text := range []string{`The members of user group "ops" wait for the next apply`, `The members of user group "leads" wait for the next apply`} {
		if !strings.Contains(printed, text) {
			t.Errorf("%q is not in:\n%s", text, printed)
		}
	}
	holds(t, o, "ops", []string{lena, amara}, nil)
	holds(t, o, "leads", []string{ines, lena, amara}, []string{"sre", "role:members"})
	if got := group(t, o, "ops").Description; got != "members" {
		t.Errorf("the description is %q", got)
	}
	w.Must(t, "apply", "-auto-approve")
	holds(t, o, "ops", []string{kenji, amara}, nil)
	holds(t, o, "leads", []string{ines, kenji, amara}, []string{"sre", "role:moderators"})
	w.Must(t, "plan", "-detailed-exitcode")
}

// Somebody who leaves the code leaves the groups in the same apply, named by a reference or by the address.
func TestAccSandboxAPersonLeavesTheCodeAndGroups(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	groups := func(member string, needs string) string {
		return strings.NewReplacer("MEMBER", member, "NEEDS", needs).Replace(`
resource "zulip_user_group" "ops" {
  name    = "ops"
  members = [MEMBER"lena.fischer@example.com"]
  NEEDS
}

resource "zulip_user_group_membership" "leads" {
  group   = "leads"
  members = [MEMBER"lena.fischer@example.com"]
  NEEDS
}
`)
	}
	const nadia = `
resource "zulip_user" "nadia" {
  email     = "nadia@example.com"
  full_name = "Nadia"
  adopt_deactivated = true
}
`
	for _, member := range []string{"zulip_user.nadia.email, ", `"nadia@example.com", `} {
		w.Configure(t, nadia+groups(member, "depends_on = [zulip_user.nadia]"))
		w.Must(t, "apply", "-auto-approve")
		w.Configure(t, groups("", ""))
		w.Must(t, "apply", "-auto-approve")
		holds(t, o, "ops", []string{lena}, nil)
		w.Must(t, "plan", "-detailed-exitcode")
	}
}

// Members take over from a membership that Terraform forgets.
func TestAccUserGroupSandboxMembersTakeOver(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Configure(t, `
resource "zulip_user_group" "ops" {
  name = "ops"
}

resource "zulip_user_group_membership" "ops" {
  group   = zulip_user_group.ops.name
  members = ["lena.fischer@example.com", "kenji.sato@example.com"]
}
`)
	w.Must(t, "apply", "-auto-approve")
	const exclusive = `
resource "zulip_user_group" "ops" {
  name    = "ops"
  members = ["lena.fischer@example.com", "kenji.sato@example.com"]
}
`
	w.Configure(t, exclusive)
	if printed, ok := w.Run(t, "plan"); ok || !strings.Contains(printed, "is not certain") {
		t.Errorf("planned:\n%s", printed)
	}
	w.Configure(t, exclusive+`
removed {
  from = zulip_user_group_membership.ops
  lifecycle {
    destroy = false
  }
}
`)
	sent := o.Sent()
	w.Must(t, "apply", "-auto-approve")
	sent.Expect(t)
	holds(t, o, "ops", []string{lena, kenji}, nil)
}

// A group and the channel that follows it name people as permissions do, one of whom the same apply creates.
func TestAccUserGroupSandboxListsOfPrincipals(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	config := `
resource "zulip_user" "ada" {
  email     = "ada@example.com"
  full_name = "Ada"
}
resource "zulip_user_group" "ops" {
  name      = "ops"
  members   = ["user:${zulip_user.ada.email}", "user:lena.fischer@example.com"]
  subgroups = ["group:${zulip_user_group.crew.name}", "role:moderators"]
}
resource "zulip_user_group" "crew" {
  name = "crew"
}
resource "zulip_user_group_membership" "leads" {
  group   = "leads"
  members = ["user_id:${zulip_user.ada.id}"]
}
resource "zulip_channel_subscription" "incidents" {
  channel = "incidents"
  users   = setunion(zulip_user_group.ops.members, ["user:ines.moreau@example.com"])
}
`
	w.Configure(t, config)
	w.Must(t, "apply", "-auto-approve")
	w.Must(t, "plan", "-detailed-exitcode")
	holds(t, o, "ops", []string{"ada@example.com", lena}, []string{"crew", "role:moderators"})
	w.Configure(t, strings.NewReplacer(`"user:lena.fischer@example.com"`, `"lena.fischer@example.com"`, `"group:${zulip_user_group.crew.name}"`, `"crew"`).Replace(config))
	w.Must(t, "plan", "-detailed-exitcode")
	w.Configure(t, strings.Replace(config, `["user:ines`, `["group:sre", "user:ines`, 1))
	if printed, ok := w.Run(t, "plan"); ok || !strings.Contains(printed, "users = zulip_user_group.NAME.members") {
		t.Errorf("printed:\n%s", printed)
	}
}

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
