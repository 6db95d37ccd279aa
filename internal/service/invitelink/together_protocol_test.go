package invitelink_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Links that are made at the same time, of the same kind, with answers lost, are different ones.
func TestProtocolInviteLinksTogether(t *testing.T) {
	o, run := managed(t)
	p, plans := run.Process(), []*acctest.PlannedChange{}
	for range 4 {
		plan, diags := p.Plan(kind, nil, values{})
		diags.ExpectNoError(t)
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
	o, run := managed(t)
	run.MustApply(values{})
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
