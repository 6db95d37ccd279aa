package users_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const (
	userRoleLena = "lena.fischer@example.com" // a member
	userRoleInes = "ines.moreau@example.com"  // the only owner
)

// expectUserRole fails the test unless an account of the sandbox has the role.
func expectUserRole(t *testing.T, o *acctest.Organization, account, want string) {
	t.Helper()
	user, err := o.Client.User(context.Background(), id(t, o, account))
	acctest.NoError(t, err)
	if user.Role.String() != want {
		t.Errorf("%s is %s, want %s", account, user.Role, want)
	}
}

func userRoleGive(t *testing.T, o *acctest.Organization, account string, role zulip.Role) {
	t.Helper()
	acctest.NoError(t, o.Client.UpdateUser(context.Background(), id(t, o, account), zulip.UserUpdate{Role: &role}))
}

// A role that the user already has is in the state without a write.
func TestProtocolUserRole_SameRole_NoRequest(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_role")
	sent := o.Sent()
	run.MustApply(values{"user": userRoleLena, "role": "member"})
	sent.Expect(t)
}

func TestProtocolUserRole_Bot_Changed(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_role")
	run.MustApply(values{"user": fmt.Sprint(id(t, o, "bot")), "role": "owner"})
	expectUserRole(t, o, "bot", "owner")
	run.MustApply(values{"user": fmt.Sprint(id(t, o, "bot")), "role": "member"})
	expectUserRole(t, o, "bot", "member")
}

// Just before the request, the account is read by the email or ID in the configuration. A new resource also uses it in
// the change.
func TestProtocolUserRoleRequests(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_role")
	for user, want := range map[string]string{userRoleLena: userRoleLena, fmt.Sprint(id(t, o, "member")): fmt.Sprint(id(t, o, "member")), userRoleInes: userRoleInes} {
		role := "moderator"
		if user == userRoleInes {
			role = "owner"
		}
		run.State = nil
		plan := run.MustPlan(values{"user": user, "role": role})
		sent := o.Sent()
		run.Apply(plan).ExpectNoError(t)
		read := false
		for _, request := range sent.Requests() {
			read = read || request.Method == http.MethodGet && request.Path == "/users/"+want
			if changed := "/users/" + want; request.Method == http.MethodPatch && request.Path != changed {
				t.Errorf("changed by %s, want %s", request.Path, changed)
			}
		}
		if !read {
			t.Errorf("%s: not read again before the write: %+v", user, sent.Requests())
		}
		userRoleGive(t, o, "member", zulip.RoleMember)
	}
}

// A change between plan and apply is not overwritten.
func TestProtocolUserRole_ChangedSincePlan_Refused(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_role")
	run.MustApply(values{"user": userRoleLena, "role": "member"})
	plan := run.MustPlan(values{"user": userRoleLena, "role": "administrator"})
	userRoleGive(t, o, "member", zulip.RoleGuest)
	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "role", "changed after the plan", "when the plan was made:     member", "now:                        guest", "asks for: administrator")
	sent.Expect(t)
	expectUserRole(t, o, "member", "guest")
	// The planned change was made outside Terraform, so nothing is sent.
	plan = run.MustPlan(values{"user": userRoleLena, "role": "administrator"})
	userRoleGive(t, o, "member", zulip.RoleAdministrator)
	sent = o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t)
	// The change on destroy is compared too.
	run.MustApply(values{"user": userRoleLena, "role": "administrator", "on_destroy": "member"})
	plan = run.MustPlan(nil)
	userRoleGive(t, o, "member", zulip.RoleModerator)
	run.Apply(plan).ExpectError(t, "on_destroy", "when the plan was made:     administrator", "now:                        moderator", "asks for: member")
}

func TestProtocolUserRoleImport(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_role")
	run.MustApply(values{"user": userRoleLena, "role": "moderator"})
	before := run.State.Values
	run.ExpectImports(userRoleLena, before["user_id"], values{"user_id": before["user_id"]})
	ends := o.NewRun(t, "zulip_user_role")
	ends.Import(userRoleLena+"=member", nil).ExpectNoError(t)
	if plan := ends.MustPlan(values{"user": userRoleLena, "role": "moderator", "on_destroy": "member"}); !plan.Empty() {
		t.Errorf("imported with what becomes of it, the plan changes %v", plan.Changes())
	}
	o.NewRun(t, "zulip_user_role").Import(userRoleLena+"=emperor", nil).ExpectError(t, "", "Cannot import this role")
	o.NewRun(t, "zulip_user_role").Import("lina.fischer@example.com", nil).ExpectError(t, "", "did you mean "+userRoleLena, "remove its import block")
}

func TestProtocolUserRoleRefusedAtPlan(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_role")
	run.ExpectRefusals(acctest.Refusals{
		{values{"user": "lina.fischer@example.com", "role": "guest"}, "user", []string{"did you mean " + userRoleLena, "zulip_user.NAME.id", "invite_as in a zulip_invitation"}},
		{values{"user": userRoleLena, "role": "boss"}, "role", []string{"must be one of"}},
		{values{"user": userRoleInes, "role": "member"}, "role", []string{"remove the provider's own access"}},
	})
	userRoleGive(t, o, "admin", zulip.RoleOwner)
	run.ExpectRefused(values{"user": userRoleInes, "role": "administrator"}, "role", "remove the provider's own access", "lockout_protection = false")
	run.MustApply(values{"user": userRoleInes, "role": "owner", "on_destroy": "guest"})
	run.ExpectRefused(nil, "on_destroy", "remove the provider's own access")
	run.Block["lockout_protection"] = false
	run.State = nil
	plan := run.MustPlan(values{"user": userRoleInes, "role": "administrator"})
	run.Apply(plan).ExpectNoError(t)
	expectUserRole(t, o, "owner", "administrator")
}

// Two owners are not demoted one after the other until none is left.
func TestProtocolUserRoleTwoOwners(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_role")
	userRoleGive(t, o, "member", zulip.RoleOwner)
	userRoleGive(t, o, "member2", zulip.RoleOwner)
	run.Block["lockout_protection"] = false
	p := run.Process()
	plans := []*acctest.PlannedChange{}
	for _, user := range []string{userRoleLena, "kenji.sato@example.com", userRoleInes} {
		plan, diags := p.Plan("zulip_user_role", nil, values{"user": user, "role": "guest"})
		diags.ExpectNoError(t) // each sees two other owners
		plans = append(plans, plan)
	}
	for i, plan := range plans {
		_, diags := p.Apply(plan)
		if i < len(plans)-1 {
			diags.ExpectNoError(t)
		} else {
			diags.ExpectError(t, "role", "would have no owner")
		}
	}
	// The demotion passes if the same run creates an owner, whichever is planned first.
	demote, diags := p.Plan("zulip_user_role", nil, values{"user": userRoleInes, "role": "guest"})
	diags.ExpectWarning(t, "role", "would have no owner", "add depends_on to this resource")
	promote := p.MustPlan("zulip_user_role", nil, values{"user": "tomas.berg@example.com", "role": "owner"})
	p.MustApply(promote)
	p.MustApply(demote)
}

// The plan refuses accounts that may not give roles.
func TestProtocolUserRoleCallers(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_user_role")
	for account, words := range map[string]string{
		"moderator": "cannot change roles", "admin": "Only owners can change who is an owner", "bot": "Only owners can change who is an owner",
	} {
		o.As(t, account).NewRun(t, "zulip_user_role").ExpectRefused(values{"user": fmt.Sprint(id(t, o, "member")), "role": "owner"}, "role", words)
	}
	o.As(t, "bot").NewRun(t, "zulip_user_role").MustApply(values{"user": userRoleLena, "role": "moderator"})
}

// Two resources that give one account different roles would undo each other with each apply.
func TestProtocolUserRoleTwoResources(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_role")
	p := run.Process()
	p.MustPlan("zulip_user_role", nil, values{"user": userRoleLena, "role": "moderator"})
	_, diags := p.Plan("zulip_user_role", nil, values{"user": fmt.Sprint(id(t, o, "member")), "role": "moderator"})
	diags.ExpectNoError(t) // the same
	_, diags = p.Plan("zulip_user_role", nil, values{"user": fmt.Sprint(id(t, o, "member")), "role": "guest"})
	diags.ExpectError(t, "role", "Two roles for "+userRoleLena, "Keep one of them.")
	_, diags = p.Plan("zulip_user_role", nil, values{"user": "kenji.sato@example.com", "role": "guest"})
	diags.ExpectNoError(t) // another user

	imported, diags := p.Import("zulip_user", userRoleLena, nil)
	diags.ExpectNoError(t)
	account, diags := p.Read("zulip_user", imported)
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_user", account, values{"email": userRoleLena, "full_name": "Lena Fischer", "role": "member"})
	diags.ExpectError(t, "role", "Two roles for "+userRoleLena)
	_, diags = p.Plan("zulip_user", account, values{"email": userRoleLena, "full_name": "Lena Fischer"})
	diags.ExpectNoError(t) // without a role, nothing contradicts
}

// Another user gets the email while the request waits: no one gets the role.
func TestProtocolUserRole_EmailReassignedDuringWait(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_role")
	run.MustApply(values{"user": userRoleLena, "role": "member"})
	plan := run.MustPlan(values{"user": userRoleLena, "role": "moderator"})
	path := fmt.Sprint("/users/", id(t, o, "member"))
	o.Sandbox.Fail(sandbox.Fault{Method: "PATCH", Path: path, Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: 50 * time.Millisecond, Count: 1})
	gate := o.Sandbox.Gate("GET", "/users/"+userRoleLena)
	go func() {
		defer gate.Open()
		(<-gate.Arrived).Release() // the reading before the refused request
		held := <-gate.Arrived
		address(t, o, "member", "lena@example.com")
		address(t, o, "member2", userRoleLena)
		held.Release()
	}()
	run.Apply(plan).ExpectError(t, "user", "now belongs to another user")
	expectUserRole(t, o, "member", "member")
	expectUserRole(t, o, "member2", "member")
}

// address gives an account of the sandbox another email.
func address(t *testing.T, o *acctest.Organization, account, address string) {
	if err := o.Client.UpdateUser(context.Background(), id(t, o, account), zulip.UserUpdate{NewEmail: &address}); err != nil {
		t.Error(err)
	}
}

// The checks that protect people run again on the server's answer just before the request.

// The demoted user was not the only owner during plan, but is during apply.
func TestProtocolUserRole_NowLastOwner_Refused(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_role")
	userRoleGive(t, o, "member", zulip.RoleOwner)
	run.Block["lockout_protection"] = false
	run.MustApply(values{"user": userRoleLena, "role": "owner", "on_destroy": "guest"})
	for _, config := range []values{{"user": userRoleLena, "role": "member"}, nil} {
		p := run.Process()
		userRoleGive(t, o, "owner", zulip.RoleOwner)
		plan := p.MustPlan("zulip_user_role", run.State, config)
		member := zulip.RoleAdministrator
		acctest.NoError(t, o.As(t, "member").Client.UpdateUser(context.Background(), id(t, o, "owner"), zulip.UserUpdate{Role: &member}))
		sent := o.Sent()
		_, diags := p.Apply(plan)
		at := "role"
		if config == nil {
			at = "on_destroy"
		}
		diags.ExpectError(t, at, "Only owners can change who is an owner")
		sent.Expect(t)
		expectUserRole(t, o, "member", "owner")
		acctest.NoError(t, o.As(t, "member").Client.UpdateUser(context.Background(), id(t, o, "owner"), zulip.UserUpdate{Role: ptr(zulip.RoleOwner)}))
	}
}

func ptr[T any](value T) *T { return &value }

// If the other owners cannot be read, no owner is demoted.
func TestProtocolUserRole_OwnersUnreadable_Refused(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_role")
	userRoleGive(t, o, "member", zulip.RoleOwner)
	run.MustApply(values{"user": userRoleLena, "role": "owner"})
	p := run.Process()
	plan := p.MustPlan("zulip_user_role", run.State, values{"user": userRoleLena, "role": "member"})
	for _, path := range []string{"/users", "/register"} {
		o.Sandbox.Fail(sandbox.Fault{Method: "*", Path: path, Action: sandbox.FaultStatus, Status: 400, Body: `{"result":"error","msg":"No","code":"BAD_REQUEST"}`})
	}
	sent := o.Sent()
	_, diags := p.Apply(plan)
	diags.ExpectError(t, "role", "Cannot make "+userRoleLena+" member", "Nothing was changed")
	sent.Expect(t)
	expectUserRole(t, o, "member", "owner")
}

// A bot's own role is protected like a person's.
func TestProtocolUserRole_ProviderBot_Protected(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_user_role")
	bot := o.As(t, "bot")
	run := bot.NewRun(t, "zulip_user_role")
	own := fmt.Sprint(id(t, o, "bot"))
	run.ExpectRefused(values{"user": own, "role": "member"}, "role", "remove the provider's own access")
	run.MustApply(values{"user": own, "role": "administrator", "on_destroy": "member"})
	run.ExpectRefused(nil, "on_destroy", "remove the provider's own access")
	expectUserRole(t, o, "bot", "administrator")
}

func TestProtocolUserRole_Changed_AccessWarning(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_role")
	_, diags := run.Plan(values{"user": userRoleLena, "role": "guest"})
	diags.ExpectWarning(t, "", acctest.GeneralAccess)
	diags.ExpectWarning(t, "", change.ManagedSummary, "of "+userRoleLena, "\nrole\n  now:                        member", "asks for: guest")

	user := o.NewRun(t, "zulip_user")
	p := user.Process()
	user.ApplyIn(p, user.MustPlan(values{"email": "nadia@example.com", "full_name": "Nadia Haddad"})).ExpectNoError(t)
	_, diags = p.Plan("zulip_user_role", nil, values{"user": "nadia@example.com", "role": "guest"})
	diags.ExpectOnlyAccessWarning(t, acctest.GeneralAccess) // the run has created the account, whose role nobody chose

	run.MustApply(values{"user": userRoleLena, "role": "member", "on_destroy": "guest"})
	_, diags = run.Plan(values{"user": userRoleLena, "role": "member", "on_destroy": "guest"})
	diags.ExpectOnlyAccessWarning(t, "")
	_, diags = run.Plan(nil)
	diags.ExpectOnlyAccessWarning(t, acctest.GeneralAccess)

	run.Block = o.Block(values{"access_warnings": false})
	_, diags = run.Plan(values{"user": userRoleLena, "role": "guest"})
	diags.ExpectOnlyAccessWarning(t, "")
	_, diags = run.Plan(nil)
	diags.ExpectOnlyAccessWarning(t, "")
}

// If the account does not see a user's email, this is no change of the email.
func TestProtocolUserRole_HiddenEmail_SameUser(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_role")
	run.MustApply(values{"user": userRoleLena, "role": "moderator"})
	member := o.As(t, "member2").NewRun(t, "zulip_user_role")
	member.State = run.State
	member.Refresh()
	if member.State.Values["user"] != userRoleLena {
		t.Errorf("the state says %v", member.State.Values["user"])
	}
}
