package channel_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
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

// The server refuses a creation because there were too many requests, and before it may be repeated somebody else creates a
// channel of the name: the same request would subscribe people to it.
func TestProtocolCreationAfterAWaitSubscribesNobodyToAnotherChannel(t *testing.T) {
	const path = "/users/me/subscriptions"
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.CreateChannel - 1})
	run, theirs := o.NewRun(t, "zulip_channel"), o.As(t, "admin")
	plan := run.MustPlan(values{"name": "late", "initial_subscribers": []any{"lena.fischer@example.com"}})
	gate := o.Sandbox.Gate(http.MethodPost, path)
	defer gate.Open()
	applied := make(chan acctest.Diagnostics)
	go func() { applied <- run.Apply(plan) }()
	held := <-gate.Arrived
	go func() { (<-gate.Arrived).Release() }()
	if _, err := theirs.Client.CreateChannelBySubscribing(t.Context(), zulip.ChannelCreate{Name: "late"}); err != nil {
		t.Fatal(err)
	}
	o.Sandbox.Fail(sandbox.Fault{Method: http.MethodPost, Path: path, Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: 20 * time.Millisecond, Count: 1})
	held.Release()
	gate.Open()
	late := o.MustChannel(t, "late")
	(<-applied).ExpectError(t, "name", "already exists", fmt.Sprintf(`id = "%d"`, late.ID))
	if in := o.Subscribers(t, "late"); !slices.Equal(in, []int64{theirs.Self.ID}) {
		t.Errorf("subscribed are %v", in)
	}
	if count := o.Sandbox.Journal().Count(sandbox.Filter{Method: http.MethodPost, Path: path}); count != 2 { // theirs, and the one that was refused
		t.Errorf("%d requests were made", count)
	}
	if run.State != nil {
		t.Errorf("the state has %v", run.State.Values)
	}
}

// What was refused for a moment is created when nobody has taken the name. The account, which the server has subscribed, is
// unsubscribed from the channel by the name that it has then.
func TestProtocolCreationAfterAWait(t *testing.T) {
	const path = "/users/me/subscriptions"
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.CreateChannel - 1})
	run := o.NewRun(t, "zulip_channel")
	tooMany := sandbox.Fault{Path: path, Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: 20 * time.Millisecond, Count: 1}
	tooMany.Method = http.MethodPost
	o.Sandbox.Fail(tooMany)
	tooMany.Method = http.MethodDelete
	o.Sandbox.Fail(tooMany)
	plan := run.MustPlan(values{"name": "late"})
	gate := o.Sandbox.Gate(http.MethodDelete, path)
	defer gate.Open()
	applied := make(chan acctest.Diagnostics)
	go func() { applied <- run.Apply(plan) }()
	held := <-gate.Arrived
	created, renamed := o.MustChannel(t, "late"), "later"
	o.Change(t, "late", zulip.ChannelUpdate{Name: &renamed})
	if _, err := o.Client.CreateChannelBySubscribing(t.Context(), zulip.ChannelCreate{Name: "late"}); err != nil { // another one, which stays as it is
		t.Fatal(err)
	}
	held.Release()
	gate.Open()
	diags := <-applied
	if warned := diags.Warnings(); len(warned) > 0 {
		t.Errorf("warned: %v", warned)
	}
	if run.State == nil || run.State.Values["id"] != created.ID {
		t.Errorf("the state is %+v", run.State)
	}
	if in := o.Subscribers(t, "later"); len(in) > 0 {
		t.Errorf("subscribed to the new channel are %v", in)
	}
	if in := o.Subscribers(t, "late"); !slices.Equal(in, []int64{o.Self.ID}) {
		t.Errorf("subscribed to another channel are %v", in)
	}
}
