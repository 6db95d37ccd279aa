package invitation_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// A lost answer sends no second mail, and a lost revocation revokes nothing else.
func TestProtocolInvitationLostAnswer(t *testing.T) {
	for _, fault := range []sandbox.FaultAction{sandbox.FaultDrop, sandbox.FaultTruncate, sandbox.FaultEmpty, sandbox.FaultStatus} {
		t.Run(string(fault), func(t *testing.T) {
			o, run := managed(t)
			inviteByHand(t, o, "admin", "else@example.com")
			lose := func() {
				o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/invites", After: true, Action: fault, Count: 1})
			}
			lose()
			run.MustApply(values{"email": nadia, "invite_as": "guest"})
			all := mails(t, o)
			if len(all) != 2 || all[1].Email != nadia {
				t.Fatalf("there are %d invitations", len(all))
			}
			lose()
			o.Sandbox.Fail(sandbox.Fault{Method: "DELETE", Path: "/invites/*", After: true, Action: fault, Count: 1})
			run.MustApply(values{"email": nadia, "invite_as": "member"})
			now := mails(t, o)
			if len(now) != 2 || now[1].ID == all[1].ID {
				t.Fatalf("after the change there are %d invitations", len(now))
			}
			o.Sandbox.Fail(sandbox.Fault{Method: "DELETE", Path: "/invites/*", After: true, Action: fault, Count: 1})
			run.Apply(run.MustPlan(nil)).ExpectNoError(t)
			if only(t, o).Email != "else@example.com" {
				t.Error("the wrong invitation was revoked")
			}
		})
	}
}

// A lost answer that cannot be looked up is an error that says what to do, and the next plan finds the invitation.
func TestProtocolInvitationUnknownOutcome(t *testing.T) {
	o, run := managed(t)
	run.Block["max_retries"] = 0
	plan := run.MustPlan(values{"email": nadia})
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/invites", After: true, Action: sandbox.FaultDrop})
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: "/invites", Action: sandbox.FaultDrop, Skip: 1})
	run.Apply(plan).ExpectError(t, "", "Cannot invite "+nadia, "Look before you apply again")
	heal()
	only(t, o)
	_, diags := run.Plan(values{"email": nadia})
	diags.ExpectWarning(t, "email", nadia+" is invited already", `id = "`+nadia+`"`, "ZULIP_RECOVER_INTERRUPTED=true")
}

// What was sent and could not be read is in the state all the same, and read later on.
func TestProtocolInvitationUnread(t *testing.T) {
	o, run := managed(t)
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
	only(t, o)
}

// If an earlier invitation cannot be revoked, the new one is in the state, and the warning says what is left.
func TestProtocolInvitationNotRevoked(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"email": nadia})
	run.Block["max_retries"] = 0
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "DELETE", Path: "/invites/*", Action: sandbox.FaultStatus})
	diags := run.Apply(run.MustPlan(values{"email": nadia, "invite_as": "guest"}))
	heal()
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", "An earlier invitation of "+nadia+" was not revoked", "Whoever has the mail of the earlier one can still join by it")
	if all := mails(t, o); len(all) != 2 {
		t.Fatalf("there are %d invitations", len(all))
	}
	if plan := run.MustPlan(values{"email": nadia, "invite_as": "guest"}); !plan.Empty() {
		t.Errorf("plans %v", plan.Changes())
	}
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	if left := mails(t, o); len(left) != 0 {
		t.Errorf("%d invitations are left", len(left))
	}
}

// Reading any number of invitations is one request.
func TestProtocolInvitationsAreReadTogether(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"email": nadia})
	p, sent := run.Process(), o.Sent()
	for range 5 {
		if _, diags := p.Read(kind, run.State); len(diags.Errors()) > 0 {
			t.Fatal(diags)
		}
	}
	if requests := len(sent.Requests()); requests != 1 {
		t.Errorf("%d requests, want 1", requests)
	}
}
