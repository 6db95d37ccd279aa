package bots_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// returningBot creates a moderator bot, deactivates it, and returns the configuration that adopts it.
func returningBot(t *testing.T, o *acctest.Organization) (address string, config acctest.Values) {
	t.Helper()
	config = acctest.Values{"short_name": "returns", "full_name": "Returning Bot", "role": "moderator"}
	run := o.NewRun(t, "zulip_bot")
	run.MustApply(config)
	address, _ = run.State.Values["email"].(string)
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	config["adopt_deactivated"] = true
	delete(config, "role")
	return address, config
}

func TestProtocolBot_ReactivatedWithRole_RoleFirst(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	_, config := returningBot(t, o)
	config["role"] = "member"
	run := o.NewRun(t, "zulip_bot")
	plan := run.MustPlan(config)
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t, "PATCH role", "POST")
	if role := run.State.Values["role"]; role != "member" {
		t.Errorf("the bot is %v", role)
	}
}

func TestProtocolBot_Reactivated_RoleWarning(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	address, config := returningBot(t, o)
	_, diags := o.NewRun(t, "zulip_bot").Plan(config)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "adopt_deactivated", "A deactivated bot will be reactivated\n", "Bot "+address+" has the ID ", "It comes back as moderator")
	diags.ExpectWarning(t, "", acctest.GeneralAccess)
}

func TestProtocolBot_ReactivatedOutsideRoleList_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	address, config := returningBot(t, o)
	list := acctest.Values{"role": "moderator", "users": []any{"amara.okafor@example.com"}}
	run := o.NewRun(t, "zulip_bot")
	p := run.Process()
	_, diags := p.Plan("zulip_role_members", nil, list)
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_bot", nil, config)
	diags.ExpectError(t, "role", "Two roles for "+address)
	p = run.Process()
	_, diags = p.Plan("zulip_bot", nil, config)
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_role_members", nil, list)
	diags.ExpectError(t, "users", "Two roles for "+address)
}

// A bot that leaves with its owner and gets another owner is reactivated with the planned role.
func TestProtocolBot_ReactivatedWithOwner_RoleFirst(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	owner := o.NewRun(t, "zulip_user")
	owner.Import("kenji.sato@example.com", nil).ExpectNoError(t)
	run := o.NewRun(t, "zulip_bot")
	config := acctest.Values{"short_name": "stays", "full_name": "Staying Bot", "role": "moderator", "owner": "kenji.sato@example.com"}
	run.MustApply(config)
	config["role"], config["owner"] = "member", "lena.fischer@example.com"
	p := run.Process()
	leaves, diags := p.Plan("zulip_user", owner.State, nil)
	diags.ExpectNoError(t)
	stays, diags := p.Plan("zulip_bot", run.State, config)
	diags.ExpectNoError(t)
	_, diags = p.Apply(leaves)
	diags.ExpectNoError(t)
	sent := o.Sent()
	run.ApplyIn(p, stays).ExpectNoError(t)
	writes := sent.Writes()
	if len(writes) < 2 || writes[0].Method != http.MethodPatch || writes[1].Method != http.MethodPost {
		t.Errorf("sent: %v", fmt.Sprint(writes))
	}
	if role := run.State.Values["role"]; role != "member" {
		t.Errorf("the bot is %v", role)
	}
}
