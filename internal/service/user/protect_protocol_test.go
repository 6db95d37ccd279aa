package user_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// What protects people is checked in the plan, and again on what the server has just before the request.

// setRole gives a role outside of Terraform.
func setRole(t *testing.T, o *acctest.Organization, account string, role zulip.Role) {
	t.Helper()
	if err := o.Client.UpdateUser(context.Background(), id(t, o, account), zulip.UserUpdate{Role: &role}); err != nil {
		t.Fatal(err)
	}
}

// imported gives a test the account of a person in the state, and what is configured of it.
func imported(t *testing.T, o *acctest.Organization, address string, more values) (*acctest.Run, values) {
	t.Helper()
	run := o.NewRun(t, "zulip_user")
	run.Import(address, nil).ExpectNoError(t)
	config := values{"email": address, "full_name": run.State.Values["full_name"]}
	for name, value := range more {
		config[name] = value
	}
	return run, config
}

// Two owners are not demoted or deactivated one after the other until nobody is left.
func TestProtocolUserLastOwner(t *testing.T) {
	for name, test := range map[string]struct {
		role any // that the second gets; nil: is deactivated
		at   string
	}{"demoted": {"guest", "role"}, "deactivated": {nil, ""}} {
		t.Run(name, func(t *testing.T) {
			o, _ := managed(t)
			setRole(t, o, "member", zulip.RoleOwner)
			first, firstConfig := imported(t, o, lena, values{"role": "guest"})
			second, config := imported(t, o, ines, values{"role": test.role})
			if test.role == nil {
				config = nil
			}
			second.Block["lockout_protection"] = false
			p := second.Process()
			demote, diags := p.Plan("zulip_user", first.State, firstConfig)
			diags.ExpectNoError(t) // each sees another owner
			end, diags := p.Plan("zulip_user", second.State, config)
			diags.ExpectNoError(t)
			_, diags = p.Apply(demote)
			diags.ExpectNoError(t)
			sent := o.Sent()
			_, diags = p.Apply(end)
			diags.ExpectError(t, test.at, "would have no owner")
			sent.Expect(t)
			if owner, err := o.Client.Me(context.Background()); err != nil || owner.Role != zulip.RoleOwner || !owner.IsActive {
				t.Errorf("the server holds %+v, %v", owner, err)
			}
			// In the plan it is a warning, because another resource of the run may make an owner.
			_, diags = p.Plan("zulip_user", second.State, config)
			diags.ExpectWarning(t, test.at, "would have no owner")
		})
	}
}

// A deactivation of an owner is refused where who else is one cannot be read.
func TestProtocolUserDeactivationThatCannotBeChecked(t *testing.T) {
	for _, path := range []string{"/users", "/users/*"} {
		t.Run(path, func(t *testing.T) {
			o, _ := managed(t)
			setRole(t, o, "member", zulip.RoleOwner)
			run, _ := imported(t, o, lena, nil)
			p := run.Process()
			plan, diags := p.Plan("zulip_user", run.State, nil)
			diags.ExpectNoError(t)
			for _, path := range []string{path, "/register"} {
				o.Sandbox.Fail(sandbox.Fault{Method: "*", Path: path, Action: sandbox.FaultStatus, Status: 400, Body: `{"result":"error","msg":"No","code":"BAD_REQUEST"}`})
			}
			sent := o.Sent()
			_, diags = p.Apply(plan)
			diags.ExpectError(t, "", "Cannot deactivate", "Nothing was sent")
			sent.Expect(t)
		})
	}
}

// A person's bots are deactivated with the person: the provider's account, if it is one of them (server-behavior §U9).
func TestProtocolUserWhoOwnsTheProvidersBot(t *testing.T) {
	o, _ := managed(t)
	bot := o.As(t, "bot")
	run, _ := imported(t, bot, tomas, nil)
	_, diags := run.Plan(nil)
	diags.ExpectError(t, "", "lock the provider out", tomasBot, "owned by "+tomas)

	// The bot gets that owner after the plan.
	run, _ = imported(t, bot, lena, nil)
	p := run.Process()
	plan, diags := p.Plan("zulip_user", run.State, nil)
	diags.ExpectNoError(t)
	o.Call(t, http.MethodPatch, fmt.Sprint("/bots/", id(t, o, "bot")), map[string]string{"bot_owner_id": fmt.Sprint(id(t, o, "member"))})
	sent := o.Sent()
	_, diags = p.Apply(plan)
	diags.ExpectError(t, "", "lock the provider out", tomasBot, "owned by "+lena)
	sent.Expect(t)
	if user := account(t, o, id(t, o, "member")); !user.IsActive {
		t.Error("the account is deactivated")
	}
	run.Block["lockout_protection"] = false
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	if user := account(t, o, id(t, o, "bot")); user.IsActive {
		t.Error("the bot is active")
	}
}

// The provider's own account is neither demoted nor deactivated by a plan that was made for another one's key.
func TestProtocolUserOwnAccount(t *testing.T) {
	o, _ := managed(t)
	setRole(t, o, "member", zulip.RoleOwner)
	for _, role := range []any{"member", nil} {
		run, config := imported(t, o, lena, values{"role": role})
		if role == nil {
			config = nil
		}
		plan := run.MustPlan(config)
		other := o.As(t, "member").NewRun(t, "zulip_user") // applied with her own key
		sent := o.Sent()
		_, diags := other.Process().Apply(plan)
		at := "role"
		if role == nil {
			at = ""
		}
		diags.ExpectError(t, at, "lock the provider out")
		sent.Expect(t)
	}
}
