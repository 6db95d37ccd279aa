package userrole_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// What protects people is checked again on what the server has just before the request.

// Who is demoted was not the only owner in the plan, and is by the time of the apply.
func TestProtocolUserRoleLastOwnerSinceThePlan(t *testing.T) {
	o, run := managed(t)
	give(t, o, "member", zulip.RoleOwner)
	run.Block["lockout_protection"] = false
	run.MustApply(values{"user": lena, "role": "owner", "on_destroy": "guest"})
	for _, config := range []values{{"user": lena, "role": "member"}, nil} {
		p := run.Process()
		give(t, o, "owner", zulip.RoleOwner)
		plan, diags := p.Plan("zulip_user_role", run.State, config)
		diags.ExpectNoError(t)
		member := zulip.RoleAdministrator
		if err := o.As(t, "member").Client.UpdateUser(context.Background(), id(t, o, "owner"), zulip.UserUpdate{Role: &member}); err != nil {
			t.Fatal(err)
		}
		sent := o.Sent()
		_, diags = p.Apply(plan)
		at := "role"
		if config == nil {
			at = "on_destroy"
		}
		diags.ExpectError(t, at, "Only owners make and unmake owners")
		sent.Expect(t)
		expect(t, o, "member", "owner")
		if err := o.As(t, "member").Client.UpdateUser(context.Background(), id(t, o, "owner"), zulip.UserUpdate{Role: ptr(zulip.RoleOwner)}); err != nil {
			t.Fatal(err)
		}
	}
}

func ptr[T any](value T) *T { return &value }

// If who else is an owner cannot be read, nobody is demoted who is one.
func TestProtocolUserRoleProtectionThatCannotBeRead(t *testing.T) {
	o, run := managed(t)
	give(t, o, "member", zulip.RoleOwner)
	run.MustApply(values{"user": lena, "role": "owner"})
	p := run.Process()
	plan, diags := p.Plan("zulip_user_role", run.State, values{"user": lena, "role": "member"})
	diags.ExpectNoError(t)
	for _, path := range []string{"/users", "/register"} {
		o.Sandbox.Fail(sandbox.Fault{Method: "*", Path: path, Action: sandbox.FaultStatus, Status: 400, Body: `{"result":"error","msg":"No","code":"BAD_REQUEST"}`})
	}
	sent := o.Sent()
	_, diags = p.Apply(plan)
	diags.ExpectError(t, "role", "Cannot make "+lena+" member", "Nothing was sent")
	sent.Expect(t)
	expect(t, o, "member", "owner")
}

// A bot's own role is protected as a person's.
func TestProtocolUserRoleOfTheProvidersBot(t *testing.T) {
	o, _ := managed(t)
	bot := o.As(t, "bot")
	run := bot.NewRun(t, "zulip_user_role")
	own := fmt.Sprint(id(t, o, "bot"))
	_, diags := run.Plan(values{"user": own, "role": "member"})
	diags.ExpectError(t, "role", "lock the provider out")
	run.MustApply(values{"user": own, "role": "administrator", "on_destroy": "member"})
	_, diags = run.Plan(nil)
	diags.ExpectError(t, "on_destroy", "lock the provider out")
	expect(t, o, "bot", "administrator")
}

// A change of the role since the plan is not overwritten, and the error names all three roles.
func TestProtocolUserRoleConflictNamesThree(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"user": lena, "role": "member", "on_destroy": "guest"})
	for at, config := range map[string]values{"role": {"user": lena, "role": "moderator"}, "on_destroy": nil} {
		give(t, o, "member", zulip.RoleMember)
		plan := run.MustPlan(config)
		give(t, o, "member", zulip.RoleAdministrator)
		sent := o.Sent()
		to := "moderator"
		if config == nil {
			to = "guest"
		}
		run.Fork().Apply(plan).ExpectError(t, at, "member → "+to, "now the role is administrator")
		sent.Expect(t)
		expect(t, o, "member", "administrator")
	}
}
