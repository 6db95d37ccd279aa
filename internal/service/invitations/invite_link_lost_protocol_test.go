package invitations_test

import (
	"context"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// A lost answer makes no second link, whatever else the account made before.
func TestProtocolInviteLinkLostAnswer(t *testing.T) {
	for _, fault := range []sandbox.FaultAction{sandbox.FaultDrop, sandbox.FaultTruncate, sandbox.FaultEmpty, sandbox.FaultStatus} {
		t.Run(string(fault), func(t *testing.T) {
			o, run := acctest.StartRun(t, inviteLinkKind)
			o.NewRun(t, inviteLinkKind).MustApply(values{"invite_as": "guest"})
			older := inviteLinkOnly(t, o)
			o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/invites/multiuse", After: true, Action: fault, Count: 1})
			run.MustApply(values{"invite_as": "guest"})
			all := links(t, o)
			if len(all) != 2 || all[0].ID != older.ID || run.State.Values["link_url"] != all[1].LinkURL {
				t.Errorf("there are %d links, and the state has link %v", len(all), run.State.Values["id"])
			}
			o.Sandbox.Fail(sandbox.Fault{Method: "DELETE", Path: "/invites/multiuse/*", After: true, Action: fault, Count: 1})
			run.Apply(run.MustPlan(nil)).ExpectNoError(t)
			if inviteLinkOnly(t, o).ID != older.ID {
				t.Error("the wrong link was revoked")
			}
		})
	}
}

// A link that somebody else made at the same moment is not taken for the one that was asked for.
func TestProtocolInviteLinkOfAnother(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	p := run.Process()
	plan := p.MustPlan(inviteLinkKind, nil, values{})
	_, diags := p.ReadData("zulip_invite_links", values{}) // what there is before is known from now on
	diags.ExpectNoError(t)
	url, err := o.As(t, "admin").Client.CreateInviteLink(context.Background(), zulip.InviteTerms{})
	if err != nil {
		t.Fatal(err)
	}
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/invites/multiuse", Action: sandbox.FaultStatus, Count: 1})
	made := p.MustApply(plan)
	if made.Values["link_url"] == url || len(links(t, o)) != 2 {
		t.Errorf("there are %d links, and the state has link %v", len(links(t, o)), made.Values["id"])
	}
}

// A lost answer that cannot be looked up is an error that says what to do.
func TestProtocolInviteLinkUnknownOutcome(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	run.Block["max_retries"] = 0
	plan := run.MustPlan(values{})
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/invites/multiuse", After: true, Action: sandbox.FaultDrop})
	o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: "/invites", Action: sandbox.FaultDrop, Skip: 1})
	run.Apply(plan).ExpectError(t, "", "Cannot create the invitation link", "Look before you apply again")
}

// A link whose ID cannot be found is in the state all the same: read later on, or revoked without it.
func TestProtocolInviteLinkWithoutID(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	run.Block["max_retries"] = 0
	plan := run.MustPlan(values{})
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: "/invites", Action: sandbox.FaultStatus, Skip: 1})
	diags := run.Apply(plan)
	heal()
	link := inviteLinkOnly(t, o).LinkURL
	diags.ExpectError(t, "", "its ID was not found", "terraform untaint")
	if strings.Contains(diags.String(), link) {
		t.Error("the message shows the link")
	}
	if run.State == nil || run.State.Values["link_url"] != link || run.State.Values["id"] != nil {
		t.Fatalf("the state holds %v", run.State)
	}
	unread := run.Process().MustPlan(inviteLinkKind, run.State, nil)
	kept := run.Fork()
	if plan := kept.MustPlan(values{}); !plan.Empty() || kept.State.Values["id"] == nil {
		t.Errorf("read again, the state holds %v", kept.State.Values)
	}
	run.Apply(unread).ExpectNoError(t)
	if left := links(t, o); len(left) != 0 {
		t.Errorf("%d links are left", len(left))
	}
	run.State = kept.State
	run.State.Values["id"], run.State.Identity = nil, nil
	unknown := run.Fork()
	if unknown.Refresh().ExpectNoError(t); unknown.State != nil {
		t.Errorf("what is gone is in the state: %v", unknown.State.Values)
	}
	gone := run.Process().MustPlan(inviteLinkKind, run.State, nil)
	run.Apply(gone).ExpectNoError(t) // revoked already
}

// Links that are made at the same time, of the same kind, with answers lost, are different ones.
func TestProtocolInviteLinksTogether(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	p, plans := run.Process(), []*acctest.PlannedChange{}
	for range 4 {
		plan := p.MustPlan(inviteLinkKind, nil, values{})
		plans = append(plans, plan)
	}
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/invites/multiuse", After: true, Action: sandbox.FaultDrop, Count: 3})
	made := make(chan *acctest.Instance)
	for _, plan := range plans {
		go func() {
			one, diags := p.Apply(plan)
			if len(diags.Errors()) > 0 {
				t.Error(diags)
			}
			made <- one
		}()
	}
	seen := map[any]bool{}
	for range plans {
		if one := <-made; one != nil {
			seen[one.Values["link_url"]] = true
		}
	}
	if all := links(t, o); len(seen) != len(plans) || len(all) != len(plans) {
		t.Errorf("%d resources have %d links, and the server holds %d", len(plans), len(seen), len(all))
	}
}

// Reading any number of links is one request.
func TestProtocolInviteLinksAreReadTogether(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	run.MustApply(values{})
	run.ExpectReadTogether(t, o, 1)
}
