package invitations_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// pendingRoles describes the pending invitations by email: the role of each, and whether the test's main account sent it.
func pendingRoles(t *testing.T, o *acctest.Organization) string {
	t.Helper()
	var roles []string
	for _, one := range mails(t, o) {
		by := "own"
		if one.InvitedByUserID != o.Self.ID {
			by = "other"
		}
		roles = append(roles, by+" "+one.InvitedAs.String())
	}
	return strings.Join(roles, ", ")
}

// revokeAs revokes the only pending invitation with another account.
func revokeAs(t *testing.T, o *acctest.Organization, account string) {
	t.Helper()
	o.WithAccount(t, account).Call(t, http.MethodDelete, fmt.Sprint("/invites/", invitationOnly(t, o).ID), nil)
}

// An apply of a saved plan compares the current invitation with the one that the plan read.
func TestProtocolInvitation_ChangedSincePlan(t *testing.T) {
	const none = ""
	update := values{"email": nadia, "invite_as": "member", "expires_in_minutes": 60}
	for _, c := range []struct {
		name   string
		config values // nil to destroy
		change func(t *testing.T, o *acctest.Organization, pass func(time.Duration))
		sent   []string
		error  []string // nil for none
		holds  string
	}{
		{"revoked, update", update, revokedByAdmin, nil, []string{"when the plan was made:     guest, sent by user", "now:                        not pending", "Plan again"}, none},
		{"replaced, update", update, replacedByAdmin, nil, []string{"when the plan was made:     none", "now:                        member, sent by user", "configuration asks for: member", "Nothing was overwritten"}, "other member"},
		{"accepted, update", update, func(t *testing.T, o *acctest.Organization, _ func(time.Duration)) { join(t, o, nadia) }, nil, nil, none},
		{"expired, update", update, expired, nil, []string{"not pending", "Plan again"}, none},
		{"invited once more, update", update, invitedByAdmin, nil, []string{"now:                        member, sent by user"}, "own guest, other member"},
		{"revoked, destroy", nil, revokedByAdmin, nil, nil, none},
		{"replaced, destroy", nil, replacedByAdmin, nil, []string{"now:                        member, sent by user", "Nothing was overwritten"}, "other member"},
		{"accepted, destroy", nil, func(t *testing.T, o *acctest.Organization, _ func(time.Duration)) { join(t, o, nadia) }, nil, nil, none},
		{"expired, destroy", nil, expired, nil, nil, none},
		{"invited once more, destroy", nil, invitedByAdmin, nil, []string{"now:                        member, sent by user"}, "own guest, other member"},
		{"unchanged, update", update, func(*testing.T, *acctest.Organization, func(time.Duration)) {}, []string{
			"DELETE", "POST invite_as invite_expires_in_minutes invitee_emails include_realm_default_subscriptions notify_referrer_on_join group_ids stream_ids",
		}, nil, "own member"},
		{"unchanged, destroy", nil, func(*testing.T, *acctest.Organization, func(time.Duration)) {}, []string{"DELETE"}, nil, none},
	} {
		t.Run(c.name, func(t *testing.T) {
			var ahead atomic.Int64
			o := acctest.StartSandbox(t, sandbox.Config{Clock: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
			run := o.NewRun(t, invitationKind)
			run.MustApply(values{"email": nadia, "invite_as": "guest", "expires_in_minutes": 60})
			plan := run.MustPlan(c.config)
			c.change(t, o, func(d time.Duration) { ahead.Store(int64(d)) })
			sent := o.Sent()
			diags := run.Apply(plan)
			if got, want := sentMethods(sent), methodsOf(c.sent); got != want {
				t.Errorf("sent %q, want %q", got, want)
			}
			if got := pendingRoles(t, o); got != c.holds {
				t.Errorf("the server holds %q, want %q", got, c.holds)
			}
			if c.error == nil {
				diags.ExpectNoError(t)
			} else {
				diags.ExpectError(t, "", append(c.error, "Invitation of "+nadia)...)
			}
		})
	}
}

func revokedByAdmin(t *testing.T, o *acctest.Organization, _ func(time.Duration)) {
	t.Helper()
	revokeAs(t, o, "admin")
}

func replacedByAdmin(t *testing.T, o *acctest.Organization, _ func(time.Duration)) {
	t.Helper()
	revokeAs(t, o, "admin")
	inviteByHand(t, o, "admin", nadia)
}

func invitedByAdmin(t *testing.T, o *acctest.Organization, _ func(time.Duration)) {
	t.Helper()
	inviteByHand(t, o, "admin", nadia)
}

func expired(_ *testing.T, _ *acctest.Organization, pass func(time.Duration)) { pass(2 * time.Hour) }

// If the invitation was revoked since, the next plan creates one. If another administrator replaced it, the next plan
// changes that invitation.
func TestProtocolInvitation_ReplannedAfterConflict_Converges(t *testing.T) {
	for name, change := range map[string]func(*testing.T, *acctest.Organization, func(time.Duration)){"revoked": revokedByAdmin, "replaced": replacedByAdmin} {
		t.Run(name, func(t *testing.T) {
			o, run := acctest.StartRun(t, invitationKind)
			config := values{"email": nadia, "invite_as": "guest"}
			run.MustApply(config)
			config = values{"email": nadia, "invite_as": "administrator"}
			plan := run.MustPlan(config)
			change(t, o, nil)
			run.Apply(plan).ExpectError(t, "", "was changed")
			run.MustApply(config)
			if got := pendingRoles(t, o); got != "own administrator" {
				t.Errorf("the server holds %q", got)
			}
		})
	}
}

// An earlier invitation as owner that cannot be revoked is an error, and the next plan shows it and revokes it.
func TestProtocolInvitation_StrongerNotRevoked_Error(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	run.MustApply(values{"email": nadia, "invite_as": "owner"})
	run.Block["max_retries"] = 0
	config := values{"email": nadia, "invite_as": "member"}
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "DELETE", Path: "/invites/*", Action: sandbox.FaultStatus, Status: 500})
	sent := o.Sent()
	diags := run.Apply(run.MustPlan(config))
	heal()
	diags.ExpectError(t, "", nadia, "owner, sent by user", "No new invitation was sent", "The next plan shows it")
	for _, write := range sent.Writes() {
		if write.Method == http.MethodPost {
			t.Error("a new invitation was sent before the stronger one was revoked")
		}
	}
	if plan := run.MustPlan(config); plan.Empty() {
		t.Error("the invitation as owner is pending, and nothing is planned")
	}
	run.MustApply(config)
	if got := pendingRoles(t, o); got != "own member" {
		t.Errorf("the server holds %q", got)
	}
}

// If the earlier invitation is not stronger, the new one stays. The next plan revokes the earlier one without another
// mail.
func TestProtocolInvitation_EarlierNotRevoked_RevokedNext(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	run.MustApply(values{"email": nadia, "invite_as": "guest"})
	run.Block["max_retries"] = 0
	config := values{"email": nadia, "invite_as": "member"}
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "DELETE", Path: "/invites/*", Action: sandbox.FaultStatus, Status: 500})
	diags := run.Apply(run.MustPlan(config))
	heal()
	diags.ExpectError(t, "", nadia, "The new invitation was sent", "The next plan proposes to revoke it")
	if got := pendingRoles(t, o); got != "own guest, own member" {
		t.Fatalf("the server holds %q", got)
	}
	plan, diags := run.Plan(config)
	diags.ExpectWarning(t, "", "Another invitation of the same email is pending\n", nadia, "guest, sent by user")
	if plan.Empty() {
		t.Fatal("nothing is planned")
	}
	sent := o.Sent()
	run.MustApply(config)
	sent.Expect(t, "DELETE")
	if got := pendingRoles(t, o); got != "own member" {
		t.Errorf("the server holds %q", got)
	}
}

// Another administrator's invitation next to the managed one is drift. The plan names it and the apply revokes it.
func TestProtocolInvitation_InvitedByOther_Revoked(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	config := values{"email": nadia, "invite_as": "guest"}
	run.MustApply(config)
	first := invitationOnly(t, o)
	o.WithAccount(t, "admin").Call(t, http.MethodPost, "/invites", map[string]string{"invitee_emails": strings.ToUpper(nadia), "stream_ids": "[]", "invite_as": "200"})
	plan, diags := run.Plan(config)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", "Another invitation of the same email is pending\n", nadia, "administrator, sent by user")
	if plan.Empty() {
		t.Error("nothing is planned")
	}
	sent := o.Sent()
	run.MustApply(config)
	sent.Expect(t, "DELETE")
	if left := invitationOnly(t, o); left.ID != first.ID {
		t.Errorf("the server holds invitation %d, want %d", left.ID, first.ID)
	}
}

// If the account can't revoke another user's invitation of an owner, the plan says so.
func TestProtocolInvitation_OwnerInvited_AdministratorRefused(t *testing.T) {
	o, _ := acctest.StartRun(t, invitationKind)
	run := o.WithAccount(t, "admin").NewRun(t, invitationKind)
	config := values{"email": nadia, "invite_as": "guest"}
	run.MustApply(config)
	o.Call(t, http.MethodPost, "/invites", map[string]string{"invitee_emails": nadia, "stream_ids": "[]", "invite_as": "100"})
	for _, config := range []values{config, {"email": nadia, "invite_as": "member"}, nil} {
		_, diags := run.Plan(config)
		diags.ExpectError(t, "", "cannot revoke an owner's invitation")
	}
}

// After a refresh, the state has another administrator's replacement. Its channels are not known, and the plan to
// destroy it names the sender.
func TestProtocolInvitation_ReplacedBeforePlan_Shown(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	config := values{"email": nadia, "channel_ids": []any{o.MustChannel(t, "general").ID}}
	run.MustApply(config)
	revokeAs(t, o, "admin")
	o.WithAccount(t, "admin").Call(t, http.MethodPost, "/invites", map[string]string{"invitee_emails": nadia, "stream_ids": "[]", "invite_expires_in_minutes": "null"})
	if plan := run.MustPlan(config); plan.Empty() || run.State.Values["channel_ids"] != nil {
		t.Errorf("plans %v of channels %v", plan.Changes(), run.State.Values["channel_ids"])
	}
	end, diags := run.Fork().Plan(nil)
	diags.ExpectWarning(t, "", "Someone else sent the invitation\n", nadia, fmt.Sprint("member, sent by user ", o.WithAccount(t, "admin").Self.ID))
	sent := o.Sent()
	run.Fork().Apply(end).ExpectNoError(t)
	sent.Expect(t, "DELETE")
	if _, diags = run.Process().Plan(invitationKind, run.State, nil); len(diags) > 0 { // without a refresh
		t.Errorf("nothing is pending, but the plan says: %v", diags)
	}
}

// A new invitation that the server refuses after a stronger one was revoked is an error that says so, and the next plan sends it.
func TestProtocolInvitation_RefusedAfterRevoking_PlannedNext(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	run.MustApply(values{"email": nadia, "invite_as": "owner"})
	config := values{"email": nadia, "invite_as": "member"}
	plan := run.MustPlan(config)
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/invites", Action: sandbox.FaultStatus, Status: 400})
	diags := run.Apply(plan)
	heal()
	diags.ExpectError(t, "", nadia, "The earlier invitation was revoked", "The next plan proposes to send a new invitation")
	if got := pendingRoles(t, o); got != "" {
		t.Errorf("the server holds %q", got)
	}
	if plan := run.MustPlan(config); plan.Prior != nil {
		t.Error("the next plan does not create the invitation")
	}
	run.MustApply(config)
	if got := pendingRoles(t, o); got != "own member" {
		t.Errorf("the server holds %q", got)
	}
}

// A state without a record of the pending invitations is compared by sender and time.
func TestProtocolInvitation_StateWithoutRecord_Compared(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*testing.T, *acctest.Organization, func(time.Duration))
		error  string
		holds  string
	}{
		"unchanged": {func(*testing.T, *acctest.Organization, func(time.Duration)) {}, "", "own member"},
		"replaced":  {replacedByAdmin, "was changed", "other member"},
	} {
		t.Run(name, func(t *testing.T) {
			o, run := acctest.StartRun(t, invitationKind)
			run.MustApply(values{"email": nadia, "invite_as": "guest"})
			run.State.Private = nil
			plan, diags := run.Process().Plan(invitationKind, run.State, values{"email": nadia, "invite_as": "member"}) // without a refresh
			diags.ExpectNoError(t)
			c.change(t, o, nil)
			diags = run.Apply(plan)
			if c.error == "" {
				diags.ExpectNoError(t)
			} else {
				diags.ExpectError(t, "", c.error)
			}
			if got := pendingRoles(t, o); got != c.holds {
				t.Errorf("the server holds %q, want %q", got, c.holds)
			}
		})
	}
}
