package users_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// These are attributes, as tests write them.
type values = acctest.Values

// The people of the sandbox, and the names of their accounts.
const (
	roleMembersInes  = "ines.moreau@example.com"  // the only owner
	roleMembersTomas = "tomas.berg@example.com"   // admin
	roleMembersAmara = "amara.okafor@example.com" // moderator
	roleMembersLena  = "lena.fischer@example.com" // member
	roleMembersKenji = "kenji.sato@example.com"   // member2
)

func id(t *testing.T, o *acctest.Organization, account string) int64 {
	t.Helper()
	credentials, ok := o.Sandbox.Credentials(account)
	if !ok {
		t.Fatalf("there is no account %q", account)
	}
	return int64(credentials.ID)
}

// roleMembersGive gives an account of the sandbox a role outside Terraform.
func roleMembersGive(t *testing.T, o *acctest.Organization, account string, role zulip.Role) {
	t.Helper()
	acctest.NoError(t, o.Client.UpdateUser(t.Context(), id(t, o, account), zulip.UserUpdate{Role: &role}))
}

// expectRoleMembers fails the test unless accounts of the sandbox have these roles.
func expectRoleMembers(t *testing.T, o *acctest.Organization, roles map[string]string) {
	t.Helper()
	for account, want := range roles {
		user, err := o.Client.User(t.Context(), id(t, o, account))
		acctest.NoError(t, err)
		if user.Role.String() != want {
			t.Errorf("%s is %s, want %s", account, user.Role, want)
		}
	}
}

// bot is the email of the sandbox's bot, an administrator.
func bot(t *testing.T, o *acctest.Organization) string {
	t.Helper()
	user, err := o.Client.User(t.Context(), id(t, o, "bot"))
	acctest.NoError(t, err)
	return user.Address()
}

func list(role string, users ...any) values { return values{"role": role, "users": users} }

// A removed user gets the role of demote_to.
func TestProtocolRoleMembersDemoteTo(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_role_members")
	run.MustApply(values{"role": "administrator", "users": []any{roleMembersTomas, bot(t, o), roleMembersLena}, "demote_to": "moderator"})
	run.MustApply(values{"role": "administrator", "users": []any{bot(t, o), roleMembersTomas}, "demote_to": "moderator"})
	expectRoleMembers(t, o, map[string]string{"member": "moderator", "admin": "administrator", "bot": "administrator"})
	for _, wrong := range []values{
		{"role": "moderator", "users": []any{roleMembersAmara}, "demote_to": "moderator"},
		{"role": "moderator", "users": []any{roleMembersAmara}, "demote_to": "administrator"},
	} {
		run.Fork().ExpectRefused(wrong, "demote_to", "demote_to is not a lower role")
	}
}

// A new list takes the role from no one: the error names the unlisted users with the role, and the fix.
func TestProtocolRoleMembers_UnlistedHolders_Refused(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_role_members")
	sent := o.Sent()
	run.ExpectRefused(list("administrator", roleMembersLena), "users", "Users not listed also have the role administrator", roleMembersTomas, bot(t, o), `id = "administrator"`)
	// An apply refuses it too, and names a user who was given the role since.
	plan := run.MustPlan(list("administrator", roleMembersTomas, bot(t, o), roleMembersLena))
	roleMembersGive(t, o, "member2", zulip.RoleAdministrator)
	run.Fork().Apply(plan).ExpectError(t, "users", "Users not listed also have the role administrator", roleMembersKenji)
	sent.Expect(t, "PATCH role")
	expectRoleMembers(t, o, map[string]string{"member": "member", "admin": "administrator", "bot": "administrator", "member2": "administrator"})
}

// An import has the users with the role, and the next plan lists those that it removes.
func TestProtocolRoleMembersImport(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_role_members")
	roleMembersGive(t, o, "member", zulip.RoleAdministrator)
	for _, by := range []struct {
		id       string
		identity values
	}{{id: "administrator"}, {identity: values{"role": "administrator"}}} {
		run.Import(by.id, by.identity).ExpectNoError(t)
		held := fmt.Sprint(run.State.Values["users"])
		for _, who := range []string{roleMembersTomas, roleMembersLena, bot(t, o)} {
			if !strings.Contains(held, who) {
				t.Errorf("imported are %s, without %s", held, who)
			}
		}
	}
	if run.State.Values["id"] != "administrator" || strings.Contains(fmt.Sprint(run.State.Values["users"]), roleMembersInes) {
		t.Errorf("imported is %v", run.State.Values)
	}
	plan := run.MustPlan(list("administrator", roleMembersTomas, bot(t, o)))
	if fmt.Sprint(plan.Changes()) != "[user_ids users]" {
		t.Errorf("planned: %v", plan.Changes())
	}
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t, "PATCH role")
	expectRoleMembers(t, o, map[string]string{"member": "member", "admin": "administrator", "bot": "administrator"})
	run.Import("guest", nil).ExpectError(t, "", "owner, administrator or moderator")
}

// A promotion or demotion outside Terraform is drift, by name. Deactivated users do not count.
func TestProtocolRoleMembersDrift(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_role_members")
	config := list("administrator", roleMembersTomas, bot(t, o))
	run.MustApply(config)
	roleMembersGive(t, o, "member", zulip.RoleAdministrator)
	roleMembersGive(t, o, "admin", zulip.RoleMember)
	run.Refresh().ExpectNoError(t)
	held := fmt.Sprint(run.State.Values["users"])
	if !strings.Contains(held, roleMembersLena) || strings.Contains(held, roleMembersTomas) {
		t.Errorf("the state lists %s", held)
	}
	sent := o.Sent()
	run.MustApply(config)
	// The role is given before it is taken away.
	var order []string
	for _, request := range sent.Requests() {
		if request.Method == "PATCH" {
			order = append(order, request.Path)
		}
	}
	if want := []string{fmt.Sprint("/users/", id(t, o, "admin")), fmt.Sprint("/users/", id(t, o, "member"))}; !slices.Equal(order, want) {
		t.Errorf("changed in the order %v, want %v", order, want)
	}
	expectRoleMembers(t, o, map[string]string{"member": "member", "admin": "administrator"})
	o.Call(t, "DELETE", fmt.Sprint("/users/", id(t, o, "admin")), nil)
	if plan := run.MustPlan(config); !plan.Empty() {
		t.Errorf("of somebody deactivated it plans %v", plan.Changes())
	}
}

// The server's list of people may hide a promotion (server-behavior §U18), but the groups of the roles do not.
func TestProtocolRoleMembers_StaleList_DriftShown(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_role_members")
	run.MustApply(list("administrator", roleMembersTomas, bot(t, o)))
	o.Fail(t, "PATCH /users/* stale")
	roleMembersGive(t, o, "member", zulip.RoleAdministrator)
	run.Refresh().ExpectNoError(t)
	if held := fmt.Sprint(run.State.Values["users"]); !strings.Contains(held, roleMembersLena) {
		t.Errorf("the state lists %s", held)
	}
}

// A change after the plan is not overwritten, neither for added nor for removed users.
func TestProtocolRoleMembers_ChangedSincePlan_Refused(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_role_members")
	run.MustApply(list("moderator", roleMembersAmara, roleMembersLena))
	change := func() *acctest.PlannedChange {
		return run.MustPlan(list("moderator", roleMembersAmara, roleMembersKenji))
	}

	plan := change()
	roleMembersGive(t, o, "member2", zulip.RoleAdministrator)
	sent := o.Sent()
	run.Fork().Apply(plan).ExpectError(t, "users", "The role of "+roleMembersKenji+" was changed after the plan was made", "when the plan was made:     member", "now:                        administrator", "asks for: moderator")
	sent.Expect(t) // and no one is removed
	expectRoleMembers(t, o, map[string]string{"member2": "administrator", "member": "moderator"})
	roleMembersGive(t, o, "member2", zulip.RoleMember)

	plan = change()
	roleMembersGive(t, o, "member2", zulip.RoleGuest)
	run.Fork().Apply(plan).ExpectError(t, "users", "when the plan was made:     member", "now:                        guest", "asks for: moderator")
	plan = change()
	run.Fork().Apply(plan).ExpectNoError(t)
	roleMembersGive(t, o, "member2", zulip.RoleMember)
	roleMembersGive(t, o, "member", zulip.RoleModerator)

	plan = change()
	roleMembersGive(t, o, "member", zulip.RoleOwner)
	sent = o.Sent()
	failed := run.Fork()
	failed.Apply(plan).ExpectError(t, "users", "The role of "+roleMembersLena+" was changed", "when the plan was made:     moderator", "now:                        owner", "asks for: member")
	sent.Expect(t, "PATCH role") // Kenji is added
	if held := fmt.Sprint(failed.State.Values["users"]); !strings.Contains(held, roleMembersKenji) || strings.Contains(held, roleMembersLena) {
		t.Errorf("the state lists %s", held)
	}
	roleMembersGive(t, o, "member", zulip.RoleModerator)
	roleMembersGive(t, o, "member2", zulip.RoleMember)

	// A plan that did not see a user with the role does not take it from them. The next plan shows them.
	plan = change()
	roleMembersGive(t, o, "admin", zulip.RoleModerator)
	run.Apply(plan).ExpectNoError(t)
	expectRoleMembers(t, o, map[string]string{"admin": "moderator", "member": "member", "member2": "moderator"})
	if next := run.MustPlan(list("moderator", roleMembersAmara, roleMembersKenji)); next.Empty() || !strings.Contains(fmt.Sprint(next.Prior.Values["users"]), roleMembersTomas) {
		t.Error("the next plan does not show who was promoted by hand")
	}
}

// Written roles stay in the state when a later request fails.
func TestProtocolRoleMembersPartialApply(t *testing.T) {
	for name, imported := range map[string]bool{"created": false, "updated": true} {
		t.Run(name, func(t *testing.T) {
			o, run := acctest.StartRun(t, "zulip_role_members")
			if imported {
				run.Import("moderator", nil).ExpectNoError(t)
			}
			o.Sandbox.Fail(sandbox.Fault{Method: "PATCH", Path: fmt.Sprint("/users/", id(t, o, "member2")), Action: sandbox.FaultStatus, Status: 400, Body: `{"result":"error","msg":"No","code":"BAD_REQUEST"}`, Count: 1})
			config := list("moderator", roleMembersAmara, roleMembersLena, roleMembersKenji)
			run.Apply(run.MustPlan(config)).ExpectError(t, "users", "Cannot make "+roleMembersKenji+" moderator")
			held := fmt.Sprint(run.State.Values["users"])
			if !strings.Contains(held, roleMembersLena) || !strings.Contains(held, roleMembersAmara) || strings.Contains(held, roleMembersKenji) {
				t.Errorf("the state lists %s", held)
			}
			run.MustApply(config)
			expectRoleMembers(t, o, map[string]string{"member": "moderator", "member2": "moderator", "moderator": "moderator"})
		})
	}
}

// If nothing was written, there is nothing in the state.
func TestProtocolRoleMembers_CreateFails_NoState(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_role_members")
	plan := run.MustPlan(list("moderator", roleMembersAmara, roleMembersLena))
	o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: "/users/" + roleMembersLena, Action: sandbox.FaultStatus, Status: 400, Body: `{"result":"error","msg":"No","code":"BAD_REQUEST"}`})
	run.Apply(plan).ExpectError(t, "users", "Cannot make "+roleMembersLena+" moderator")
	if run.State != nil {
		t.Errorf("the state has %v", run.State.Values)
	}
}

// One owner must remain, the provider's account keeps the role, and only owners manage the list of owners.
func TestProtocolRoleMembers_OwnersAndProvider_Protected(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_role_members")
	run.Import("owner", nil).ExpectNoError(t)
	run.ExpectRefused(list("owner"), "users", "would have no owner")
	run.ExpectRefused(list("owner", bot(t, o)), "users", "would have no owner", "not a bot")
	run.ExpectRefused(list("owner", roleMembersLena), "users", "remove the provider's own access", "lockout_protection = false")
	o.NewRun(t, "zulip_role_members").ExpectRefused(list("moderator", roleMembersAmara, roleMembersInes), "users", "remove the provider's own access")
	for account, words := range map[string]string{"moderator": "cannot change roles", "admin": "Only owners can change who is an owner"} {
		other := o.As(t, account).NewRun(t, "zulip_role_members")
		owner := fmt.Sprint(id(t, o, "owner")) // moderators don't see emails
		other.ExpectRefused(list("owner", owner, fmt.Sprint(id(t, o, "member"))), "users", words)
		other.MustApply(list("owner", owner)) // nothing has to be sent
	}
	// Without the protection, the role is given to the new owner, and then taken from the old one.
	run.Block["lockout_protection"] = false
	plan, diags := run.Plan(list("owner", roleMembersLena))
	diags.ExpectNoError(t)
	for _, warning := range diags.Warnings() {
		if strings.Contains(warning.Summary, "no owner") {
			t.Errorf("warned of %s", warning)
		}
	}
	run.Apply(plan).ExpectNoError(t)
	expectRoleMembers(t, o.As(t, "member"), map[string]string{"owner": "member", "member": "owner"})
}

// The last owner is not demoted, although the plan saw another owner.
func TestProtocolRoleMembers_NowLastOwner_Refused(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_role_members")
	roleMembersGive(t, o, "member", zulip.RoleOwner)
	roleMembersGive(t, o, "member2", zulip.RoleOwner)
	run.Import("owner", nil).ExpectNoError(t)
	run.Block["lockout_protection"] = false
	plan := run.MustPlan(list("owner", roleMembersKenji))
	p := run.Process()
	p.MustPlan("zulip_role_members", plan.Prior, plan.Config)
	roleMembersGive(t, o, "member", zulip.RoleMember)
	roleMembersGive(t, o, "member2", zulip.RoleMember)
	sent := o.Sent()
	_, diags := p.Apply(plan)
	if text := diags.Errors().String(); !strings.Contains(text, "would have no owner") {
		t.Errorf("reported: %v", diags)
	}
	sent.Expect(t)
	expectRoleMembers(t, o, map[string]string{"owner": "owner"})
}

// The plan warns by name about users whose listed role is lower than their current one.
func TestProtocolRoleMembersListedLower(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_role_members")
	plan, diags := run.Plan(list("moderator", roleMembersAmara, roleMembersTomas))
	diags.ExpectWarning(t, "users", "A listed user loses a higher role\n", roleMembersTomas, "with the lower role")
	run.Apply(plan).ExpectNoError(t)
	expectRoleMembers(t, o, map[string]string{"admin": "moderator"})
}

// A plan with an unknown value is valid. A new list is planned, and an existing list waits or has the unknown element.
func TestProtocolRoleMembersUnknown(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_role_members")
	run.MustPlan(values{"role": acctest.Unknown, "users": acctest.Unknown})
	for _, users := range []any{acctest.Unknown, []any{roleMembersAmara, acctest.Unknown}} {
		plan := run.MustPlan(values{"role": "moderator", "users": users})
		plan.Config = list("moderator", roleMembersAmara, roleMembersLena)
		fork := run.Fork()
		fork.Apply(plan).ExpectNoError(t)
		expectRoleMembers(t, o, map[string]string{"member": "moderator"})
		roleMembersGive(t, o, "member", zulip.RoleMember)
	}
	run.MustApply(list("moderator", roleMembersAmara, roleMembersLena))
	plan, diags := run.Plan(values{"role": "moderator", "users": acctest.Unknown})
	diags.ExpectWarning(t, "users", "waits for the next apply")
	if !plan.Empty() {
		t.Errorf("planned: %v", plan.Changes())
	}
	if plan := run.MustPlan(values{"role": acctest.Unknown, "users": []any{roleMembersAmara}}); !slices.Contains(plan.Replace, "role") {
		t.Errorf("another role replaces because of %v", plan.Replace)
	}
	plan, diags = run.Plan(list("administrator", roleMembersTomas, bot(t, o)))
	diags.ExpectWarning(t, "", "The role moderator is left unchanged", roleMembersLena)
	if !slices.Contains(plan.Replace, "role") {
		t.Errorf("another role replaces because of %v", plan.Replace)
	}
}

// A guest can't always see everyone. In that case the users with the role are not reported.
func TestProtocolRoleMembers_ByGuest_Refused(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_role_members")
	run.MustApply(list("moderator", roleMembersAmara))
	state := run.State
	guest := o.As(t, "guest").NewRun(t, "zulip_role_members")
	guest.State = state
	guest.Refresh().ExpectWarning(t, "", "does not see everything")
	o.As(t, "guest").NewRun(t, "zulip_role_members").ExpectRefused(list("moderator", roleMembersAmara), "users", "does not see everything", "cannot see who has the role moderator")
}
