package bot_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The provider's own bot is not deactivated: neither in the plan, nor by a plan that was made with another key.
func TestProtocolBotOfTheProvider(t *testing.T) {
	o, _ := managed(t)
	credentials, _ := o.Sandbox.Credentials("bot")
	run := o.As(t, "bot").NewRun(t, "zulip_bot")
	run.Import(fmt.Sprint(credentials.ID), nil).ExpectNoError(t)
	_, diags := run.Plan(nil)
	diags.ExpectError(t, "", "lock the provider out")

	owner := o.NewRun(t, "zulip_bot")
	owner.Import(fmt.Sprint(credentials.ID), nil).ExpectNoError(t)
	plan := owner.MustPlan(nil)
	sent := o.Sent()
	_, diags = run.Process().Apply(plan)
	diags.ExpectError(t, "", "lock the provider out")
	sent.Expect(t)
	if bot, err := o.Client.User(context.Background(), int64(credentials.ID)); err != nil || !bot.IsActive {
		t.Errorf("the server holds %+v, %v", bot, err)
	}
	run.Block["lockout_protection"] = false
	run.MustPlan(nil)
}

// A bot is not handed over by an account that would lose it, also if the account was an administrator when it was planned.
func TestProtocolBotIsNotHandedOverByAnAccountThatLosesIt(t *testing.T) {
	for name, exists := range map[string]bool{"changed": true, "created": false} {
		t.Run(name, func(t *testing.T) {
			o, _ := managed(t)
			admin := o.As(t, "admin")
			run := admin.NewRun(t, "zulip_bot")
			if exists {
				run.MustApply(values{"short_name": "alerts", "full_name": "Alerts"})
			}
			p := run.Process()
			plan, diags := p.Plan("zulip_bot", run.State, values{"short_name": "alerts", "full_name": "Alerts", "owner": fmt.Sprint(o.As(t, "member").Self.ID)})
			diags.ExpectNoError(t)
			member := zulip.RoleMember
			if err := o.Client.UpdateUser(t.Context(), admin.Self.ID, zulip.UserUpdate{Role: &member}); err != nil {
				t.Fatal(err)
			}
			sent := admin.Sent()
			state, diags := p.Apply(plan)
			diags.ExpectError(t, "owner", "lock the provider out")
			if exists {
				sent.Expect(t)
			}
			bot, err := o.Client.User(t.Context(), state.Values["id"].(int64))
			if err != nil || bot.BotOwnerID == nil || *bot.BotOwnerID != admin.Self.ID {
				t.Errorf("the server holds %+v, %v", bot, err)
			}
		})
	}
}
