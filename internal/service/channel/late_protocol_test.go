package channel_test

import (
	"context"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// A server below feature level 417 carries a creation out after the answer was lost, and after the provider has looked for the
// channel once: the channel is in the state.
func TestProtocolLateCreation(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.CreateChannel - 1})
	run := o.NewRun(t, "zulip_channel")
	plan := run.MustPlan(values{"name": "late", "description": "Slow"})
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users/me/subscriptions", Action: sandbox.FaultDrop, Count: 1})
	reads := o.Sandbox.Gate("GET", "/streams")
	done := make(chan acctest.Diagnostics, 1)
	go func() { done <- run.Apply(plan) }()
	asked := func() bool {
		return len(o.Sandbox.Journal().Requests(sandbox.Filter{Method: "POST", Path: "/users/me/subscriptions"})) > 0
	}
	var diags acctest.Diagnostics
	for looks := 0; diags == nil; {
		select {
		case held := <-reads.Arrived:
			if asked() {
				looks++
			}
			if looks == 2 { // the first look has found nothing
				reads.Open()
				description := "Slow"
				if _, err := o.Client.CreateChannelBySubscribing(context.Background(), zulip.ChannelCreate{Name: "late", Settings: zulip.ChannelUpdate{Description: &description}}); err != nil {
					t.Error(err)
				}
			}
			held.Release()
		case diags = <-done:
			if diags == nil {
				diags = acctest.Diagnostics{}
			}
		}
	}
	diags.ExpectNoError(t)
	if run.State == nil || run.State.Values["id"] != o.MustChannel(t, "late").ID {
		t.Errorf("the state is %+v", run.State)
	}
	if left := o.Sandbox.Journal().Requests(sandbox.Filter{Method: "POST", Path: "/users/me/subscriptions"}); len(left) != 2 {
		t.Errorf("it was asked for %d times", len(left)) // by the provider, and by the server that is late
	}
}

// What is not there in the end may come later, and the message says what happens then.
func TestProtocolCreationThatIsNotFound(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.CreateChannel - 1})
	run := o.NewRun(t, "zulip_channel")
	run.Block["max_retries"] = 1
	plan := run.MustPlan(values{"name": "late"})
	sent := o.Sent()
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users/me/subscriptions", Action: sandbox.FaultDrop})
	run.Apply(plan).ExpectError(t, "", `Cannot create channel "late"`, "is not there", "If the server carries it out later, the next plan says so, and how to import it")
	sent.Expect(t, "POST subscriptions")
}
