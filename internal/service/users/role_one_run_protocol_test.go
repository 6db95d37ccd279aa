package users_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// The people of the sandbox in these tests.
const (
	oneRunOwner     = "ines.moreau@example.com"
	oneRunAdmin     = "tomas.berg@example.com"
	oneRunModerator = "amara.okafor@example.com"
	oneRunMember    = "lena.fischer@example.com"
	oneRunMember2   = "kenji.sato@example.com"
	oneRunGuest     = "paul.dubois@example.com"
	oneRunNew       = "new@example.com"
)

// oneRunPart is a resource of a configuration.
type oneRunPart struct {
	resource string
	state    *acctest.Instance
	config   acctest.Values
}

func (p oneRunPart) plan(process *acctest.Process) (*acctest.PlannedChange, acctest.Diagnostics) {
	return process.Plan(p.resource, p.state, p.config)
}

func roleList(role string, users ...any) oneRunPart {
	return oneRunPart{resource: "zulip_role_members", config: acctest.Values{"role": role, "users": users}}
}

// oneRunID returns the user ID of an account of the sandbox.
func oneRunID(t *testing.T, o *acctest.Organization, account string) int64 {
	t.Helper()
	credentials, ok := o.Sandbox.Credentials(account)
	if !ok {
		t.Fatalf("no account %q", account)
	}
	return int64(credentials.ID)
}

// expectAccount fails the test unless an account has this role, and is active or not, on the server.
func expectAccount(t *testing.T, o *acctest.Organization, account, role string, active bool) {
	t.Helper()
	user, err := o.Client.User(t.Context(), oneRunID(t, o, account))
	acctest.NoError(t, err)
	if user.Role.String() != role || user.IsActive != active {
		t.Errorf("%s is %s, active %t; want %s, %t", account, user.Role, user.IsActive, role, active)
	}
}

// deactivated returns the state of a zulip_user that keeps an account deactivated.
func deactivated(t *testing.T, o *acctest.Organization, email, name string) *acctest.Instance {
	t.Helper()
	run := o.NewRun(t, "zulip_user")
	run.Import(email, nil).ExpectNoError(t)
	run.MustApply(acctest.Values{"email": email, "full_name": name, "active": false})
	return run.State
}

// inBothOrders plans parts in one process, as written and reversed. The last plan must be refused.
func inBothOrders(t *testing.T, o *acctest.Organization, words string, parts ...oneRunPart) {
	t.Helper()
	for order, places := range map[string][]int{"as written": {0, 1}, "reversed": {1, 0}} {
		t.Run(order, func(t *testing.T) {
			p := o.NewRun(t, parts[0].resource).Process()
			_, diags := parts[places[0]].plan(p)
			diags.Errors().ExpectNoError(t)
			_, diags = parts[places[1]].plan(p)
			diags.ExpectError(t, map[bool]string{true: "users", false: "role"}[parts[places[1]].resource == "zulip_role_members"], words)
		})
	}
}

func TestProtocolRole_NewAccountOutsideList_Refused(t *testing.T) {
	for name, test := range map[string]struct {
		list, single oneRunPart
	}{
		"user": {
			roleList("moderator", oneRunModerator),
			oneRunPart{"zulip_user", nil, acctest.Values{"email": oneRunNew, "full_name": "New", "role": "moderator"}},
		},
		"bot": {
			roleList("moderator", oneRunModerator),
			oneRunPart{"zulip_bot", nil, acctest.Values{"short_name": "nb", "full_name": "New Bot", "role": "moderator"}},
		},
		"user listed with another role": {
			roleList("moderator", oneRunModerator, "NEW@example.com"),
			oneRunPart{"zulip_user", nil, acctest.Values{"email": oneRunNew, "full_name": "New", "role": "member"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBothOrders(t, acctest.StartSandbox(t, sandbox.Config{}), "Two roles for", test.list, test.single)
		})
	}
}

// The role of an account that the same plan creates must not contradict another resource.
func TestProtocolUserRole_NewButUnlisted_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	account := oneRunPart{"zulip_user", nil, acctest.Values{"email": oneRunNew, "full_name": "New"}}
	role := oneRunPart{"zulip_user_role", nil, acctest.Values{"user": oneRunNew, "role": "moderator"}}
	list := roleList("moderator", oneRunModerator)
	for order, parts := range map[string][]oneRunPart{"list first": {account, list, role}, "list last": {account, role, list}} {
		t.Run(order, func(t *testing.T) {
			p := o.NewRun(t, account.resource).Process()
			for _, part := range parts[:2] {
				_, diags := part.plan(p)
				diags.Errors().ExpectNoError(t)
			}
			_, diags := parts[2].plan(p)
			diags.ExpectError(t, map[bool]string{true: "users", false: "role"}[parts[2].resource == "zulip_role_members"], "Two roles for "+oneRunNew)
		})
	}
}

// A new account and a list that names it agree, in the plan and in the apply.
func TestProtocolRole_NewAccountInList_Applied(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	account := oneRunPart{"zulip_user", nil, acctest.Values{"email": oneRunNew, "full_name": "New", "role": "moderator"}}
	list := roleList("moderator", oneRunModerator, oneRunNew)
	for order, parts := range map[string][]oneRunPart{"list first": {list, account}, "list last": {account, list}} {
		t.Run(order, func(t *testing.T) {
			p := o.NewRun(t, account.resource).Process()
			for _, part := range parts {
				_, diags := part.plan(p)
				diags.Errors().ExpectNoError(t)
			}
		})
	}
	p := o.NewRun(t, account.resource).Process()
	for _, part := range []oneRunPart{account, list} {
		plan, diags := part.plan(p)
		diags.Errors().ExpectNoError(t)
		_, diags = p.Apply(plan)
		diags.ExpectNoError(t)
	}
}

func TestProtocolUser_ReactivatedOutsideRoleList_Refused(t *testing.T) {
	for _, attribute := range []string{"active", "adopt_deactivated"} {
		t.Run(attribute, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			user := oneRunPart{"zulip_user", deactivated(t, o, oneRunModerator, "Amara Okafor"), acctest.Values{"email": oneRunModerator, "full_name": "Amara Okafor", attribute: true}}
			if attribute == "adopt_deactivated" {
				user.state = nil
			}
			inBothOrders(t, o, "Two roles for "+oneRunModerator, roleList("moderator", oneRunMember), user)
		})
	}
}

// A list that names the account doesn't contradict its reactivation, whatever the role was.
func TestProtocolUser_ReactivatedInRoleList_Planned(t *testing.T) {
	for email, name := range map[string]string{oneRunModerator: "Amara Okafor", oneRunGuest: "Paul Dubois"} {
		o := acctest.StartSandbox(t, sandbox.Config{})
		if email == oneRunGuest {
			deactivated(t, o, oneRunModerator, "Amara Okafor") // otherwise the list would take the role from her
		}
		user := oneRunPart{"zulip_user", deactivated(t, o, email, name), acctest.Values{"email": email, "full_name": name, "active": true}}
		list := roleList("moderator", email)
		for _, parts := range [][]oneRunPart{{user, list}, {list, user}} {
			p := o.NewRun(t, user.resource).Process()
			for _, part := range parts {
				_, diags := part.plan(p)
				diags.Errors().ExpectNoError(t)
			}
		}
	}
}

func TestProtocolUser_Reactivated_RoleWarning(t *testing.T) {
	for _, attribute := range []string{"active", "adopt_deactivated"} {
		t.Run(attribute, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			state := deactivated(t, o, oneRunAdmin, "Tomas Berg")
			if attribute == "adopt_deactivated" {
				state = nil
			}
			p := o.NewRun(t, "zulip_user").Process()
			_, diags := p.Plan("zulip_user", state, acctest.Values{"email": oneRunAdmin, "full_name": "Tomas Berg", attribute: true})
			diags.ExpectNoError(t)
			diags.ExpectWarning(t, attribute, "A deactivated user will be reactivated\n", "User "+oneRunAdmin+" has the ID ", "as administrator", "user groups")
			diags.ExpectWarning(t, "", acctest.GeneralAccess)
		})
	}
}

// No user is active with a role that the configuration takes away.
func TestProtocolUser_ReactivatedWithRole_RoleFirst(t *testing.T) {
	for _, attribute := range []string{"active", "adopt_deactivated"} {
		t.Run(attribute, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			run := o.NewRun(t, "zulip_user")
			run.State = deactivated(t, o, oneRunAdmin, "Tomas Berg")
			if attribute == "adopt_deactivated" {
				run.State = nil
			}
			plan := run.MustPlan(acctest.Values{"email": oneRunAdmin, "full_name": "Tomas Berg", "role": "member", attribute: true})
			sent := o.Sent()
			run.Apply(plan).ExpectNoError(t)
			sent.Expect(t, "PATCH role", "POST")
			expectAccount(t, o, "admin", "member", true)
		})
	}
}

// After this run has reactivated an account, its old role is not a change outside Terraform.
func TestProtocolRoleMembers_ReactivatedAndListed_Applied(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	user := oneRunPart{"zulip_user", deactivated(t, o, oneRunGuest, "Paul Dubois"), acctest.Values{"email": oneRunGuest, "full_name": "Paul Dubois", "active": true}}
	run := o.NewRun(t, "zulip_role_members")
	run.Import("moderator", nil).ExpectNoError(t)
	run.MustApply(acctest.Values{"role": "moderator", "users": []any{oneRunModerator}})
	list := roleList("moderator", oneRunModerator, oneRunGuest)
	list.state = run.State
	p := run.Process()
	for _, part := range []oneRunPart{user, list} {
		_, diags := part.plan(p)
		diags.ExpectNoError(t)
	}
	apply := run.Process()
	for _, part := range []oneRunPart{user, list} {
		plan, diags := part.plan(apply)
		diags.ExpectNoError(t)
		_, diags = apply.Apply(plan)
		diags.ExpectNoError(t)
	}
	expectAccount(t, o, "guest", "moderator", true)
}

func TestProtocolRoleMembers_EmailReassigned_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 512})
	run := o.NewRun(t, "zulip_role_members")
	run.Import("owner", nil).ExpectNoError(t)
	run.MustApply(acctest.Values{"role": "owner", "users": []any{oneRunOwner}})
	plan := run.MustPlan(acctest.Values{"role": "owner", "users": []any{oneRunOwner, oneRunMember}})
	o.MoveEmail(t, "member", "member2", oneRunMember)
	run.ExpectOutdated(plan, "user_ids")
	sent := o.Sent()
	_, diags := run.Process().Apply(plan)
	diags.ExpectError(t, "users", "now belongs to another user", fmt.Sprint(oneRunID(t, o, "member2")))
	sent.Expect(t)
	expectAccount(t, o, "member2", "member", true)
	run.Refresh().ExpectNoError(t)
	run.MustApply(acctest.Values{"role": "owner", "users": []any{oneRunOwner, "old." + oneRunMember}})
	expectAccount(t, o, "member", "owner", true)
}

// The provider refuses an email of the state that belongs to another user, whether it stays in the list or not.
func TestProtocolRoleMembers_StateEmailReassigned_Refused(t *testing.T) {
	for name, users := range map[string][]any{"stays": {oneRunModerator, oneRunMember, oneRunGuest}, "leaves": {oneRunModerator}} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 512})
			run := o.NewRun(t, "zulip_role_members")
			run.MustApply(acctest.Values{"role": "moderator", "users": []any{oneRunModerator, oneRunMember}})
			plan := run.MustPlan(acctest.Values{"role": "moderator", "users": users})
			o.MoveEmail(t, "member", "member2", oneRunMember)
			sent := o.Sent()
			run.Apply(plan).ExpectError(t, "users", "now belongs to another user", "belonged to user "+fmt.Sprint(oneRunID(t, o, "member")))
			sent.Expect(t)
		})
	}
}

// A new list has no state to compare with, so the plan has the IDs that it found.
func TestProtocolRoleMembers_NewEmailReassigned_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 512})
	run := o.NewRun(t, "zulip_role_members")
	plan := run.MustPlan(acctest.Values{"role": "owner", "users": []any{oneRunOwner, "user:" + oneRunMember}})
	want := []any{oneRunID(t, o, "owner"), oneRunID(t, o, "member")}
	if got := plan.Values["user_ids"]; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("planned are %v, want %v", got, want)
	}
	o.MoveEmail(t, "member", "member2", oneRunMember)
	run.ExpectOutdated(plan, "user_ids")
	// The provider also refuses it if nothing is planned again.
	sent := o.Sent()
	state, diags := run.Process().Apply(plan)
	diags.ExpectError(t, "users", oneRunMember+" now belongs to another user", "belonged to user "+fmt.Sprint(want[1]))
	sent.Expect(t)
	if state != nil {
		t.Errorf("the state has %v", state.Values)
	}
	expectAccount(t, o, "member", "member", true)
	expectAccount(t, o, "member2", "member", true)
}

// The plan is also refused if no user has the email any more, or if its user joined after the plan.
func TestProtocolRoleMembers_NewEmailGone_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 512})
	run := o.NewRun(t, "zulip_role_members")
	plan := run.MustPlan(acctest.Values{"role": "owner", "users": []any{oneRunOwner, oneRunMember}})
	o.Call(t, http.MethodPatch, fmt.Sprint("/users/", oneRunID(t, o, "member")), map[string]string{"new_email": "someone@elsewhere.example"})
	run.ExpectOutdated(plan, "user_ids")
	o.Call(t, http.MethodPost, "/users", map[string]string{"email": oneRunMember, "full_name": "Other", "password": "correct horse battery staple"})
	run.ExpectOutdated(plan, "user_ids")
}

// The user IDs in the state belong to the emails in the state, even after another user has joined.
func TestProtocolRoleMembers_UserIDs(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 512})
	run := o.NewRun(t, "zulip_role_members")
	config := acctest.Values{"role": "moderator", "users": []any{oneRunModerator, oneRunNew}}
	plan := run.MustPlan(config)
	want := []any{oneRunID(t, o, "moderator"), acctest.Unknown}
	if got := plan.Values["user_ids"]; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("planned are %v, want %v", got, want)
	}
	run.MustApply(config)
	want[1] = nil
	if got := run.State.Values["user_ids"]; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the state has %v, want %v", got, want)
	}
	o.Call(t, http.MethodPost, "/users", map[string]string{"email": oneRunNew, "full_name": "New", "password": "correct horse battery staple"})
	run.MustApply(config)
	if got := run.State.Values["user_ids"].([]any)[1]; got == nil {
		t.Error("the state has no ID of who has joined")
	}
	o.MoveEmail(t, "moderator", "member2", oneRunModerator)
	run.Refresh().ExpectNoError(t)
	if got := run.State.Values["user_ids"].([]any); !slices.Contains(got, want[0]) {
		t.Errorf("after the email has moved, the state has %v", run.State.Values["user_ids"])
	}
}

// TestAccSandboxRoleMembers_EmailReassigned_Refused applies a saved plan through the CLI.
func TestAccSandboxRoleMembers_EmailReassigned_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 512})
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "")
	w.Configure(t, block("owners", "owner", oneRunOwner, oneRunMember))
	w.Must(t, "plan", "-out=saved")
	o.MoveEmail(t, "member", "member2", oneRunMember)
	sent := o.Sent()
	if printed, ok := w.Run(t, "apply", "saved"); ok || !strings.Contains(printed, `.user_ids[1]`) {
		t.Errorf("the saved plan is applied:\n%s", printed)
	}
	sent.Expect(t)
	expectAccount(t, o, "member2", "member", true)
}

// The email moves between the plan of the apply and the request.
func TestProtocolRoleMembers_EmailReassignedDuringApply(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 512})
	run := o.NewRun(t, "zulip_role_members")
	run.Import("owner", nil).ExpectNoError(t)
	p := run.Process()
	plan, diags := p.Plan("zulip_role_members", run.State, acctest.Values{"role": "owner", "users": []any{oneRunOwner, oneRunMember}})
	diags.ExpectNoError(t)
	o.MoveEmail(t, "member", "member2", oneRunMember)
	_, diags = p.Apply(plan)
	diags.ExpectError(t, "users", "now belongs to another user")
	expectAccount(t, o, "member", "member", true)
	expectAccount(t, o, "member2", "member", true)
}

// The account is read again before a delayed request is repeated.
func TestProtocolRoleMembers_ChangedDuringWait_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 512})
	run := o.NewRun(t, "zulip_role_members")
	run.Import("moderator", nil).ExpectNoError(t)
	plan := run.MustPlan(acctest.Values{"role": "moderator", "users": []any{oneRunModerator, oneRunMember}})
	path := fmt.Sprint("/users/", oneRunID(t, o, "member"))
	o.Sandbox.Fail(sandbox.Fault{Method: "PATCH", Path: path, Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: 50 * time.Millisecond, Count: 1})
	gate := o.Sandbox.Gate("GET", "/users/"+oneRunMember)
	go func() {
		defer gate.Open()
		(<-gate.Arrived).Release() // the reading before the refused request
		held := <-gate.Arrived
		o.Call(t, http.MethodPatch, path, map[string]string{"role": "600"})
		held.Release()
	}()
	run.Apply(plan).ExpectError(t, "users", "was changed after the plan was made")
	expectAccount(t, o, "member", "guest", true)
}

func TestProtocolUserRole_EmailReassigned_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 512})
	run := o.NewRun(t, "zulip_user_role")
	run.MustApply(acctest.Values{"user": oneRunMember, "role": "member"})
	plan := run.MustPlan(acctest.Values{"user": oneRunMember, "role": "owner"})
	o.MoveEmail(t, "member", "member2", oneRunMember)
	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "user", "now belongs to another user")
	sent.Expect(t)
	expectAccount(t, o, "member2", "member", true)
}

// An email that this run gives to an account belongs to this account.
func TestProtocolRoleMembers_EmailChangedInRun(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 512})
	account := o.NewRun(t, "zulip_user")
	account.Import(oneRunMember, nil).ExpectNoError(t)
	run := o.NewRun(t, "zulip_role_members")
	run.Import("moderator", nil).ExpectNoError(t)
	user := oneRunPart{"zulip_user", account.State, acctest.Values{"email": oneRunNew, "full_name": "Lena Fischer"}}
	list := roleList("moderator", oneRunModerator, oneRunNew)
	list.state = run.State
	apply := run.Process()
	for _, part := range []oneRunPart{user, list} {
		plan, diags := part.plan(apply)
		diags.ExpectNoError(t)
		_, diags = apply.Apply(plan)
		diags.ExpectNoError(t)
	}
	expectAccount(t, o, "member", "moderator", true)
}

// An account that joined after the refresh has no earlier email to compare with.
func TestProtocolRoleMembers_JoinedSincePlan_Applied(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_role_members")
	run.Import("moderator", nil).ExpectNoError(t)
	plan := run.MustPlan(acctest.Values{"role": "moderator", "users": []any{oneRunModerator, oneRunNew}})
	o.Call(t, http.MethodPost, "/users", map[string]string{"email": oneRunNew, "full_name": "New", "password": "correct horse battery staple"})
	run.Apply(plan).ExpectNoError(t)
}

// A deactivated account that an earlier plan removed from the list changes nothing now. An unknown email does not stop
// the plan.
func TestProtocolRoleMembers_UnknownEmailAfterLeaver(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_role_members")
	run.Import("moderator", nil).ExpectNoError(t)
	run.MustApply(acctest.Values{"role": "moderator", "users": []any{oneRunModerator, oneRunMember2}})
	o.Call(t, http.MethodDelete, fmt.Sprint("/users/", oneRunID(t, o, "member2")), nil)
	plan := run.MustPlan(acctest.Values{"role": "moderator", "users": []any{oneRunModerator, oneRunNew}})
	run.Apply(plan).ExpectNoError(t)
}
