package provider_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Someone deactivates the owner of a bot, which ends the bot too. The plan warns once, so that the rest of it can be seen.
func TestProtocolEnded_BotOwner_PlanWarns(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_bot")
	config := acctest.Values{"short_name": "news", "full_name": "News", "owner": "tomas.berg@example.com"}
	run.MustApply(config)
	owner, err := o.Client.UserByEmail(t.Context(), "tomas.berg@example.com")
	requireNoError(t, err)
	o.Call(t, http.MethodDelete, fmt.Sprint("/users/", owner.ID), nil)
	plan, diags := run.Plan(config)
	diags.ExpectNoError(t)
	diags.ExpectOnlyWarning(t, "A deactivated bot has this short name, so the apply will fail", "news-bot@zulip.example.com has the ID 50 and the name \"News\". Set adopt_deactivated = true to reactivate it.\n\n"+
		"This happened outside Terraform. To accept it, remove this resource from the configuration, with what references it.")
	sent := o.Sent()
	if errors := run.Apply(plan).Errors(); len(errors) == 0 {
		t.Error("it is applied")
	}
	sent.Expect(t)
}
