package bot_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// stale lets some writes leave the server's lists of people and bots as they were before (server-behavior §U18).
func stale(t *testing.T, o *acctest.Organization, rule string) (heal func()) {
	t.Helper()
	fault, err := sandbox.ParseFault(rule)
	if err != nil {
		t.Fatal(err)
	}
	return o.Sandbox.Fail(fault)
}

// A bot that the server's lists lack is created and updated all the same, and stays in the state.
func TestProtocolBotThatTheListsLack(t *testing.T) {
	for name, more := range map[string]values{
		"nothing more": nil, "a channel": {"default_sending_stream": "general"},
		"all": {"default_sending_stream": "general", "default_all_public_streams": true, "role": "moderator", "owner": lena},
	} {
		t.Run(name, func(t *testing.T) {
			o, run := managed(t)
			stale(t, o, "POST /bots stale")
			run.MustApply(alerts(more))
			bot := held(t, o, run)
			stale(t, o, "PATCH /bots/* stale 1")
			run.MustApply(alerts(values{"full_name": "Alarms", "owner": o.Self.Address(), "default_sending_stream": "incidents"}))
			if found := held(t, o, run); found.ID != bot.ID || found.FullName != "Alarms" {
				t.Errorf("the server holds %+v", found)
			}
			run.Apply(run.MustPlan(nil)).ExpectNoError(t)
			if found, err := o.Client.User(context.Background(), bot.ID); err != nil || found.IsActive {
				t.Errorf("the server holds %+v, %v", found, err)
			}
		})
	}
}

// A default channel that the list of bots does not show is read otherwise: after the change, and from then on if the bot is the
// account's own. It is sent once.
func TestProtocolBotWhoseChannelTheListDoesNotShow(t *testing.T) {
	o, run := managed(t)
	run.MustApply(alerts(values{"default_sending_stream": "general"}))
	sent := o.Sent()
	stale(t, o, "PATCH /bots/* stale")
	run.MustApply(alerts(values{"default_sending_stream": "incidents"}))
	run.MustApply(alerts(values{"default_sending_stream": ""}))
	sent.Expect(t, "PATCH default_sending_stream", "PATCH default_sending_stream")

	// What somebody else changes is seen too.
	o.Call(t, http.MethodPatch, fmt.Sprint("/bots/", run.State.Values["id"]), map[string]string{"default_sending_stream": "general"})
	if plan := run.MustPlan(alerts(values{"default_sending_stream": ""})); fmt.Sprint(plan.Changes()) != "[default_sending_stream]" {
		t.Errorf("planned: %v", plan.Changes())
	}
}

// Of somebody else's bot the answer to the change is all there is.
func TestProtocolBotOfSomebodyElseWhoseChannelTheListDoesNotShow(t *testing.T) {
	o, run := managed(t)
	run.MustApply(alerts(values{"owner": lena}))
	stale(t, o, "PATCH /bots/* stale")
	sent := o.Sent()
	run.Apply(run.MustPlan(alerts(values{"owner": lena, "default_sending_stream": "general"}))).ExpectNoError(t)
	sent.Expect(t, "PATCH default_sending_stream")
	if run.State.Values["default_sending_stream"] != "general" {
		t.Errorf("the state has %v", run.State.Values)
	}
}

// A name, a role or an owner that the list has from before a write is no drift, and is not sent again.
func TestProtocolBotWhoseRoleTheListDoesNotShow(t *testing.T) {
	o, run := managed(t)
	run.MustApply(alerts(nil))
	stale(t, o, "PATCH /bots/* stale")
	sent := o.Sent()
	run.MustApply(alerts(values{"role": "moderator", "full_name": "Alarms", "owner": lena}))
	sent.Expect(t, "PATCH bot_owner_id full_name role")
	if found := held(t, o, run); found.Role != zulip.RoleModerator || found.FullName != "Alarms" {
		t.Errorf("the server holds %+v", found)
	}
}

// An owner whom the list lacks is found.
func TestProtocolBotOfSomebodyWhomTheListLacks(t *testing.T) {
	o, run := managed(t)
	stale(t, o, "POST /users stale")
	id, err := o.Client.CreateUser(context.Background(), zulip.NewUser{Email: "nadia@example.com", FullName: "Nadia Haddad", Password: "a long enough password"})
	if err != nil {
		t.Fatal(err)
	}
	stale(t, o, "* /bots/** stale")
	stale(t, o, "POST /bots stale")
	run.MustApply(alerts(values{"owner": "nadia@example.com"}))
	if found := held(t, o, run); found.BotOwnerID == nil || *found.BotOwnerID != id {
		t.Errorf("the server holds %+v", found)
	}
}

// A bot that was deactivated, and that the list still has as active, is reactivated.
func TestProtocolBotThatTheListHasAsActive(t *testing.T) {
	o, run := managed(t)
	run.MustApply(alerts(nil))
	stale(t, o, "DELETE /bots/* stale")
	p := run.Process()
	destroy, diags := p.Plan("zulip_bot", run.State, nil)
	diags.ExpectNoError(t)
	_, diags = p.Apply(destroy)
	diags.ExpectNoError(t)
	create, diags := p.Plan("zulip_bot", nil, alerts(nil)) // as a replacement does
	diags.ExpectNoError(t)
	state, diags := p.Apply(create)
	diags.ExpectNoError(t)
	if state == nil || state.Values["id"] != run.State.Values["id"] || !held(t, o, run).IsActive {
		t.Errorf("the state is %+v", state)
	}

	if err := o.Client.DeactivateBot(context.Background(), held(t, o, run).ID); err != nil {
		t.Fatal(err)
	}
	run.State = nil
	run.MustApply(alerts(values{"adopt_deactivated": true}))
}

// A role above member is seen to have changed, whatever the server's list says.
func TestProtocolDriftOfABotsRoleThatTheListHides(t *testing.T) {
	o, run := managed(t)
	run.MustApply(alerts(values{"role": "moderator"}))
	stale(t, o, "PATCH /users/* stale")
	guest := zulip.RoleGuest
	if err := o.Client.UpdateUser(context.Background(), held(t, o, run).ID, zulip.UserUpdate{Role: &guest}); err != nil {
		t.Fatal(err)
	}
	run.Refresh().ExpectNoError(t)
	if run.State.Values["role"] != "guest" {
		t.Errorf("the state says %v", run.State.Values["role"])
	}
}
