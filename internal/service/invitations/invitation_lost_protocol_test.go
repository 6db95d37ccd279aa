package invitations_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// A lost answer that cannot be looked up is an error with a next step, and the next plan finds the invitation.
func TestProtocolInvitationUnknownOutcome(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	run.Block["max_retries"] = 0
	plan := run.MustPlan(values{"email": nadia})
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/invites", After: true, Action: sandbox.FaultDrop})
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: "/invites", Action: sandbox.FaultDrop, Skip: 1})
	run.Apply(plan).ExpectError(t, "", "Cannot invite "+nadia, "Check before you apply again")
	heal()
	invitationOnly(t, o)
	_, diags := run.Plan(values{"email": nadia})
	diags.ExpectWarning(t, "email", nadia+" is already invited", `id = "`+nadia+`"`, "ZULIP_RECOVER_INTERRUPTED=true")
}

// An invitation that was sent but could not be read is in the state, and is read later.
func TestProtocolInvitationUnread(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	run.Block["max_retries"] = 0
	plan := run.MustPlan(values{"email": nadia})
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: "/invites", Action: sandbox.FaultStatus, Skip: 1})
	diags := run.Apply(plan)
	heal()
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", "Cannot read the invitation of "+nadia, "The next plan reads it")
	if run.State.Values["status"] != "pending" || run.State.Values["invited"] != nil {
		t.Errorf("the state holds %v", run.State.Values)
	}
	if plan := run.MustPlan(values{"email": nadia}); !plan.Empty() || run.State.Values["invited"] == nil {
		t.Errorf("read again, the state holds %v", run.State.Values)
	}
	invitationOnly(t, o)
}

// Reading any number of invitations is one request.
func TestProtocolInvitations_ReadTogether_OneRequest(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	run.MustApply(values{"email": nadia})
	run.ExpectReadTogether(t, o, 1)
}

// An import has the values that the server lists. The others are recorded from the configuration, without a request.
func TestProtocolInvitationImport(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	config := invitationEverything(t, o)
	run.MustApply(config)
	made, before := invitationOnly(t, o), run.State.Values
	sent := o.Sent()
	for _, by := range []struct {
		id       string
		identity values
	}{{id: strings.ToUpper(nadia)}, {identity: values{"id": nadia}}} {
		fresh := o.NewRun(t, invitationKind)
		fresh.Import(by.id, by.identity).ExpectNoError(t)
		for _, name := range []string{"channel_ids", "group_ids", "include_realm_default_subscriptions", "welcome_message_custom_text"} {
			if fresh.State.Values[name] != nil {
				t.Errorf("%s is %v, and cannot be known", name, fresh.State.Values[name])
			}
		}
		if plan := fresh.MustPlan(values{"email": nadia, "expires_in_minutes": 60}); !plan.Empty() {
			t.Errorf("with what is known the plan changes %v", plan.Changes())
		}
		fresh.MustApply(config)
		if fmt.Sprint(fresh.State.Values) != fmt.Sprint(before) {
			t.Errorf("imported by %v:\n%v\nwant:\n%v", by, fresh.State.Values, before)
		}
	}
	partly := o.NewRun(t, invitationKind)
	partly.Import(nadia, nil).ExpectNoError(t)
	partly.MustApply(values{"email": nadia, "expires_in_minutes": 60, "welcome_message_custom_text": "Hello!"})
	sent.Expect(t)
	if invitationOnly(t, o).ID != made.ID {
		t.Error("another invitation was sent")
	}
	partly.MustApply(values{"email": nadia, "expires_in_minutes": 60, "welcome_message_custom_text": "Welcome!"})
	if invitationOnly(t, o).ID == made.ID {
		t.Error("after it was recorded, another text sends nothing")
	}
}

// The import of a person with an account has the status of a user who joined.
func TestProtocolInvitationImportAccepted(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	sent := o.Sent()
	run.Import("lena.fischer@example.com", nil).ExpectNoError(t)
	if run.State.Values["status"] != "accepted" || run.State.Values["user_id"] == nil {
		t.Errorf("the state holds %v", run.State.Values)
	}
	config := values{"email": "lena.fischer@example.com", "channel_ids": []any{o.MustChannel(t, "general").ID}}
	run.MustApply(config)
	sent.Expect(t)
}

func TestProtocolInvitationImportRefused(t *testing.T) {
	o, _ := acctest.StartRun(t, invitationKind)
	o.NewRun(t, invitationKind).Import(nadia, nil).ExpectError(t, "", "Cannot import this invitation", nadia, "zulip_invite_links")
	o.NewRun(t, invitationKind).Import("terraform-bot@zulip.example.com", nil).ExpectError(t, "", "Cannot import this invitation")
}

// The list has each email once, and no links.
func TestProtocolInvitationList(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	run.MustApply(values{"email": nadia})
	inviteByHand(t, o, "admin", strings.ToUpper(nadia))
	inviteByHand(t, o, "admin", "else@example.com")
	var names []string
	for _, one := range run.Process().List(invitationKind, values{}, 0, true) {
		names = append(names, fmt.Sprint(one.DisplayName, " ", one.Identity["id"]))
	}
	if want := []string{"else@example.com else@example.com", strings.ToUpper(nadia) + " " + strings.ToUpper(nadia)}; fmt.Sprint(names) != fmt.Sprint(want) {
		t.Errorf("listed are %q, want %q", names, want)
	}
}
