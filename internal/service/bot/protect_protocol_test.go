package bot_test

import (
	"context"
	"fmt"
	"testing"
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
