package userrole_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// These are attributes, as tests write them.
type values = acctest.Values

const (
	lena = "lena.fischer@example.com" // a member
	ines = "ines.moreau@example.com"  // the only owner
)

// managed gives a test a sandbox and one zulip_user_role to manage in it.
func managed(t *testing.T) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_user_role")
	return o, run
}

func id(t *testing.T, o *acctest.Organization, account string) int64 {
	t.Helper()
	credentials, ok := o.Sandbox.Credentials(account)
	if !ok {
		t.Fatalf("there is no account %q", account)
	}
	return int64(credentials.ID)
}

// expect fails the test unless an account of the sandbox has the role.
func expect(t *testing.T, o *acctest.Organization, account, want string) {
	t.Helper()
	user, err := o.Client.User(context.Background(), id(t, o, account))
	if err != nil {
		t.Fatal(err)
	}
	if user.Role.String() != want {
		t.Errorf("%s is %s, want %s", account, user.Role, want)
	}
}

func give(t *testing.T, o *acctest.Organization, account string, role zulip.Role) {
	t.Helper()
	if err := o.Client.UpdateUser(context.Background(), id(t, o, account), zulip.UserUpdate{Role: &role}); err != nil {
		t.Fatal(err)
	}
}

func TestProtocolUserRoleLives(t *testing.T) {
	o, run := managed(t)
	sent := o.Sent()
	run.MustApply(values{"user": lena, "role": "moderator"})
	expect(t, o, "member", "moderator")
	run.MustApply(values{"user": fmt.Sprint(id(t, o, "member")), "role": "moderator"})
	sent.Expect(t, "PATCH role") // the same person in other words is no change
	run.MustApply(values{"user": lena, "role": "guest", "on_destroy": "member"})
	expect(t, o, "member", "guest")
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	expect(t, o, "member", "member")
	run.MustApply(values{"user": lena, "role": "moderator"})
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	expect(t, o, "member", "moderator") // kept
}

// A role that is there already is taken into the state without a request that writes.
func TestProtocolUserRoleThereAlready(t *testing.T) {
	o, run := managed(t)
	sent := o.Sent()
	run.MustApply(values{"user": lena, "role": "member"})
	sent.Expect(t)
}

func TestProtocolUserRoleOfABot(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"user": fmt.Sprint(id(t, o, "bot")), "role": "owner"})
	expect(t, o, "bot", "owner")
	run.MustApply(values{"user": fmt.Sprint(id(t, o, "bot")), "role": "member"})
	expect(t, o, "bot", "member")
}

// The configuration's address is asked for at the moment of writing, its ID where it names one.
func TestProtocolUserRoleRequests(t *testing.T) {
	o, run := managed(t)
	for user, want := range map[string]string{lena: lena, fmt.Sprint(id(t, o, "member")): fmt.Sprint(id(t, o, "member")), ines: ines} {
		role := "moderator"
		if user == ines {
			role = "owner"
		}
		run.State = nil
		plan := run.MustPlan(values{"user": user, "role": role})
		sent := o.Sent()
		run.Apply(plan).ExpectNoError(t)
		read := false
		for _, request := range sent.Requests() {
			read = read || request.Method == http.MethodGet && request.Path == "/users/"+want
			if request.Method == http.MethodPatch && request.Path != "/users/"+want {
				t.Errorf("changed by %s, want %s", request.Path, want)
			}
		}
		if !read {
			t.Errorf("%s: not read again before the write: %+v", user, sent.Requests())
		}
		give(t, o, "member", zulip.RoleMember)
	}
}

func TestProtocolUserRoleOldServer(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 300})
	run := o.NewRun(t, "zulip_user_role")
	run.MustApply(values{"user": lena, "role": "moderator"})
	expect(t, o, "member", "moderator")
}

// Somebody else's change between plan and apply is not written over.
func TestProtocolUserRoleChangedMeanwhile(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"user": lena, "role": "member"})
	plan := run.MustPlan(values{"user": lena, "role": "administrator"})
	give(t, o, "member", zulip.RoleGuest)
	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "role", "changed since the plan", "member → administrator", "now the role is guest")
	sent.Expect(t)
	expect(t, o, "member", "guest")
	// Somebody else did what is planned: nothing is left to do.
	plan = run.MustPlan(values{"user": lena, "role": "administrator"})
	give(t, o, "member", zulip.RoleAdministrator)
	sent = o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t)
	// The way back is compared too.
	run.MustApply(values{"user": lena, "role": "administrator", "on_destroy": "member"})
	plan = run.MustPlan(nil)
	give(t, o, "member", zulip.RoleModerator)
	run.Apply(plan).ExpectError(t, "on_destroy", "administrator → member", "now the role is moderator")
}

func TestProtocolUserRoleDrift(t *testing.T) {
	o, run := managed(t)
	config := values{"user": lena, "role": "moderator"}
	run.MustApply(config)
	give(t, o, "member", zulip.RoleGuest)
	if plan := run.MustPlan(config); fmt.Sprint(plan.Changes()) != "[role]" {
		t.Errorf("planned: %v", plan.Changes())
	}
	run.MustApply(config)
	expect(t, o, "member", "moderator")
}

func TestProtocolUserRoleImport(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"user": lena, "role": "moderator"})
	before := run.State.Values
	for _, by := range []struct {
		id       string
		identity values
	}{{id: lena}, {id: fmt.Sprint(before["user_id"])}, {identity: values{"user_id": before["user_id"]}}} {
		fresh := o.NewRun(t, "zulip_user_role")
		fresh.Import(by.id, by.identity).ExpectNoError(t)
		if fmt.Sprint(fresh.State.Values) != fmt.Sprint(before) {
			t.Errorf("imported by %v:\n%v\nwant:\n%v", by, fresh.State.Values, before)
		}
	}
	ends := o.NewRun(t, "zulip_user_role")
	ends.Import(lena+"=member", nil).ExpectNoError(t)
	if plan := ends.MustPlan(values{"user": lena, "role": "moderator", "on_destroy": "member"}); !plan.Empty() {
		t.Errorf("imported with what becomes of it, the plan changes %v", plan.Changes())
	}
	o.NewRun(t, "zulip_user_role").Import(lena+"=emperor", nil).ExpectError(t, "", "Cannot import this role")
	o.NewRun(t, "zulip_user_role").Import("lina.fischer@example.com", nil).ExpectError(t, "", "did you mean "+lena)
}

func TestProtocolUserRoleLostAnswer(t *testing.T) {
	o, run := managed(t)
	o.Sandbox.Fail(sandbox.Fault{Method: "PATCH", Path: "/users/*", After: true, Action: sandbox.FaultDrop, Count: 1})
	run.MustApply(values{"user": lena, "role": "moderator"})
	expect(t, o, "member", "moderator")
}

func TestProtocolUserRoleRefusedAtPlan(t *testing.T) {
	o, run := managed(t)
	for _, c := range []struct {
		config    values
		attribute string
		words     []string
	}{
		{values{"user": "lina.fischer@example.com", "role": "guest"}, "user", []string{"did you mean " + lena, "zulip_user.NAME.id"}},
		{values{"user": lena, "role": "boss"}, "role", []string{"must be one of"}},
		{values{"user": ines, "role": "member"}, "role", []string{"lock the provider out"}},
	} {
		_, diags := run.Plan(c.config)
		diags.ExpectError(t, c.attribute, c.words...)
	}
	give(t, o, "admin", zulip.RoleOwner)
	_, diags := run.Plan(values{"user": ines, "role": "administrator"})
	diags.ExpectError(t, "role", "lock the provider out", "lockout_protection = false")
	run.MustApply(values{"user": ines, "role": "owner", "on_destroy": "guest"})
	_, diags = run.Plan(nil)
	diags.ExpectError(t, "on_destroy", "lock the provider out")
	run.Block["lockout_protection"] = false
	run.State = nil
	plan := run.MustPlan(values{"user": ines, "role": "administrator"})
	run.Apply(plan).ExpectNoError(t)
	expect(t, o, "owner", "administrator")
}

// Two owners are not demoted one after the other until nobody is left.
func TestProtocolUserRoleTwoOwners(t *testing.T) {
	o, run := managed(t)
	give(t, o, "member", zulip.RoleOwner)
	give(t, o, "member2", zulip.RoleOwner)
	run.Block["lockout_protection"] = false
	p := run.Process()
	plans := []*acctest.PlannedChange{}
	for _, user := range []string{lena, "kenji.sato@example.com", ines} {
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
	// Unless the same run makes an owner: whichever is planned first.
	demote, diags := p.Plan("zulip_user_role", nil, values{"user": ines, "role": "guest"})
	diags.ExpectWarning(t, "role", "would have no owner", "let this resource depend on that one")
	promote, diags := p.Plan("zulip_user_role", nil, values{"user": "tomas.berg@example.com", "role": "owner"})
	diags.ExpectNoError(t)
	_, diags = p.Apply(promote)
	diags.ExpectNoError(t)
	_, diags = p.Apply(demote)
	diags.ExpectNoError(t)
}

// Who may not give roles is told at plan.
func TestProtocolUserRoleCallers(t *testing.T) {
	o, _ := managed(t)
	for account, words := range map[string]string{
		"moderator": "may not change roles", "admin": "Only owners make and unmake owners", "bot": "Only owners make and unmake owners",
	} {
		_, diags := o.As(t, account).NewRun(t, "zulip_user_role").Plan(values{"user": fmt.Sprint(id(t, o, "member")), "role": "owner"})
		diags.ExpectError(t, "role", words)
	}
	o.As(t, "bot").NewRun(t, "zulip_user_role").MustApply(values{"user": lena, "role": "moderator"})
}

func TestProtocolUserRoleUnknown(t *testing.T) {
	_, run := managed(t)
	plan := run.MustPlan(values{"user": acctest.Unknown, "role": acctest.Unknown})
	plan.Config = values{"user": lena, "role": "moderator"}
	run.Apply(plan).ExpectNoError(t)
}

// Two resources that give one account different roles would undo each other with each apply.
func TestProtocolUserRoleTwoResources(t *testing.T) {
	o, run := managed(t)
	p := run.Process()
	_, diags := p.Plan("zulip_user_role", nil, values{"user": lena, "role": "moderator"})
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_user_role", nil, values{"user": fmt.Sprint(id(t, o, "member")), "role": "moderator"})
	diags.ExpectNoError(t) // the same
	_, diags = p.Plan("zulip_user_role", nil, values{"user": fmt.Sprint(id(t, o, "member")), "role": "guest"})
	diags.ExpectError(t, "role", "Two roles for "+lena, "Keep one.")
	_, diags = p.Plan("zulip_user_role", nil, values{"user": "kenji.sato@example.com", "role": "guest"})
	diags.ExpectNoError(t) // somebody else

	imported, diags := p.Import("zulip_user", lena, nil)
	diags.ExpectNoError(t)
	account, diags := p.Read("zulip_user", imported)
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_user", account, values{"email": lena, "full_name": "Lena Fischer", "role": "member"})
	diags.ExpectError(t, "role", "Two roles for "+lena)
	_, diags = p.Plan("zulip_user", account, values{"email": lena, "full_name": "Lena Fischer"})
	diags.ExpectNoError(t) // does not manage it
}

// The address gets to somebody else while the request waits: nobody gets the role.
func TestProtocolUserRoleAddressMovesWhileWaiting(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"user": lena, "role": "member"})
	plan := run.MustPlan(values{"user": lena, "role": "moderator"})
	o.Sandbox.Fail(sandbox.Fault{Method: "PATCH", Path: "/users/" + lena, Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: 50 * time.Millisecond, Count: 1})
	gate := o.Sandbox.Gate("PATCH", "/users/"+lena)
	go func() {
		defer gate.Open()
		held := <-gate.Arrived
		address(t, o, "member", "lena@example.com")
		address(t, o, "member2", lena)
		held.Release() // and is refused
	}()
	run.Apply(plan).ExpectError(t, "user", "is somebody else's address now")
	expect(t, o, "member", "member")
	expect(t, o, "member2", "member")
}

// address gives an account of the sandbox another address.
func address(t *testing.T, o *acctest.Organization, account, address string) {
	if err := o.Client.UpdateUser(context.Background(), id(t, o, account), zulip.UserUpdate{NewEmail: &address}); err != nil {
		t.Error(err)
	}
}
