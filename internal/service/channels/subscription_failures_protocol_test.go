package channels_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

const subscriptionsPath = "/users/me/subscriptions"

// addedBy are the IDs that the state counts as subscribed by a zulip_channel_subscription.
func addedBy(run *acctest.Run) []int64 {
	added := []int64{}
	for _, id := range run.State.Values["added_user_ids"].([]any) {
		added = append(added, id.(int64))
	}
	slices.Sort(added)
	return added
}

// expectAdded fails the test unless the resource counts exactly these as subscribed by it.
func expectAdded(t *testing.T, o *acctest.Organization, run *acctest.Run, addresses ...string) {
	t.Helper()
	want := []int64{}
	for _, address := range addresses {
		want = append(want, subscriptionIdOf(t, o, address))
	}
	slices.Sort(want)
	if got := addedBy(run); !slices.Equal(got, want) {
		t.Errorf("added_user_ids are %v, want %v (%v)", got, want, addresses)
	}
}

// A removal that is refused is in the state as what it is, and the next plan has it again.
func TestProtocolSubscriptionARefusedRemovalIsPlannedAgain(t *testing.T) {
	for _, kind := range []string{exclusiveType, additiveType} {
		for _, fault := range []sandbox.Fault{
			{Action: sandbox.FaultStatus, Status: http.StatusServiceUnavailable},
			{Action: sandbox.FaultStatus, Status: http.StatusBadRequest},
			{Action: sandbox.FaultDrop},
		} {
			t.Run(fmt.Sprint(kind, " ", fault.Action, " ", fault.Status), func(t *testing.T) {
				t.Parallel()
				o := acctest.NewSandbox(t, sandbox.Config{})
				private(t, o, "vault", nil, owner)
				run := o.NewRun(t, kind)
				run.Block = o.Block(values{"max_retries": 0})
				run.MustApply(values{"channel": "vault", "users": texts(owner, member)})
				config := values{"channel": "vault", "users": texts(owner)}
				fault.Method, fault.Path = http.MethodDelete, subscriptionsPath
				heal := o.Sandbox.Fail(fault)
				run.Apply(run.MustPlan(config)).ExpectError(t, "", "Cannot unsubscribe "+member)
				heal()
				expectIn(t, o, "vault", owner, member)
				stateHas(t, run, owner, member)
				plan := run.MustPlan(config)
				if plan.Empty() {
					t.Fatal("nothing is planned, and the person stays in the private channel")
				}
				run.Apply(plan).ExpectNoError(t)
				expectIn(t, o, "vault", owner)
				stateHas(t, run, owner)
			})
		}
	}
}

// Neither a failure of the request nor one of the reading after it makes the resource count somebody whom it did not subscribe.
func TestProtocolSubscriptionOnlyThoseWhomItSubscribedCount(t *testing.T) {
	o := acctest.NewSandbox(t, sandbox.Config{})
	private(t, o, "vault", nil, owner, member)
	run := o.NewRun(t, additiveType)
	run.Block = o.Block(values{"max_retries": 0})
	run.MustApply(values{"channel": "vault", "users": texts(owner, member)})
	expectAdded(t, o, run)

	// The request is refused, and somebody else subscribes the person before the next apply.
	config := values{"channel": "vault", "users": texts(owner, member, guest)}
	heal := o.Sandbox.Fail(sandbox.Fault{Method: http.MethodPost, Path: subscriptionsPath, Action: sandbox.FaultStatus, Status: http.StatusServiceUnavailable})
	run.Apply(run.MustPlan(config)).ExpectError(t, "", "Cannot add "+guest)
	heal()
	expectAdded(t, o, run)
	stateHas(t, run, owner, member)
	subscribe(t, o, "vault", guest)
	run.MustApply(config)
	expectAdded(t, o, run)

	// Somebody else is faster than the request.
	config = values{"channel": "vault", "users": texts(owner, member, guest, member2)}
	plan := run.MustPlan(config)
	gate := o.Sandbox.Gate(http.MethodPost, subscriptionsPath)
	go func() {
		defer gate.Open()
		<-gate.Arrived
		go func() { (<-gate.Arrived).Release() }() // the one by hand
		subscribe(t, o, "vault", member2)
	}()
	run.Apply(plan).ExpectNoError(t)
	expectAdded(t, o, run)

	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	expectIn(t, o, "vault", owner, member, guest, member2)
}

// Whom it has subscribed stays counted through every failure of an update.
func TestProtocolSubscriptionWhomItSubscribedIsNotForgotten(t *testing.T) {
	for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodGet} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprint(method, " after ", after), func(t *testing.T) {
				t.Parallel()
				o := acctest.NewSandbox(t, sandbox.Config{})
				private(t, o, "vault", nil, owner)
				run := o.NewRun(t, additiveType)
				run.Block = o.Block(values{"max_retries": 0})
				run.MustApply(values{"channel": "vault", "users": texts(owner, member, member2)})
				config := values{"channel": "vault", "users": texts(owner, member2, guest)}
				plan := run.MustPlan(config)
				fault := sandbox.Fault{Method: method, Path: subscriptionsPath, After: after, Action: sandbox.FaultStatus, Status: http.StatusServiceUnavailable}
				if method == http.MethodGet {
					fault.Path, fault.Skip = "/streams/*/members", 1
				}
				heal := o.Sandbox.Fail(fault)
				run.Apply(plan)
				heal()
				if added := addedBy(run); !slices.Contains(added, subscriptionIdOf(t, o, member2)) {
					t.Errorf("added_user_ids are %v", added)
				}
				run.MustApply(config)
				expectIn(t, o, "vault", owner, member2, guest)
				run.Apply(run.MustPlan(nil)).ExpectNoError(t)
				expectIn(t, o, "vault", owner)
			})
		}
	}
}

// What cannot be read is not taken for nobody: neither the plan nor the apply passes.
func TestProtocolSubscriptionMembersThatCannotBeReadRefuse(t *testing.T) {
	members := []sandbox.Fault{
		{Method: http.MethodGet, Path: "/streams/*/members", Action: sandbox.FaultStatus, Status: http.StatusServiceUnavailable},
		{Method: http.MethodGet, Path: "/streams/*/members", Action: sandbox.FaultStatus, Status: http.StatusBadRequest, Body: `{"result":"error","msg":"Invalid channel ID","code":"BAD_REQUEST"}`},
	}
	for i, fault := range members {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			o := acctest.NewSandbox(t, sandbox.Config{})
			private(t, o, "vault", nil, owner, admin)
			block := o.Block(values{"max_retries": 0})
			taken := o.NewRun(t, additiveType)
			taken.Block = block
			taken.MustApply(values{"channel": "vault", "users": texts(member)})

			fresh := o.NewRun(t, exclusiveType)
			fresh.Block = block
			heal := o.Sandbox.Fail(fault)
			sent := o.Sent()
			if _, diags := fresh.Plan(values{"channel": "vault", "users": texts(admin, member)}); len(diags.Errors()) == 0 {
				t.Error("a plan passes without the members")
			}
			p := o.NewRun(t, additiveType).Process()
			if _, diags := p.Plan(additiveType, taken.State, nil); len(diags.Errors()) == 0 {
				t.Error("an end is planned without the members")
			}
			if _, diags := p.Plan(additiveType, taken.State, values{"channel": "vault", "users": texts(admin)}); len(diags.Errors()) == 0 {
				t.Error("a change is planned without the members")
			}
			sent.Expect(t)
			heal()
		})
	}
}

// A channel that this run has emptied is empty, and not gone.
func TestProtocolSubscriptionAChannelThatWasEmptiedIsNotGone(t *testing.T) {
	o := acctest.NewSandbox(t, sandbox.Config{})
	run := taken(t, o, "announcements")
	plan := run.MustPlan(values{"channel": "announcements", "users": []any{}})
	p := run.Process()
	before, diags := p.Read(exclusiveType, run.State)
	diags.ExpectNoError(t)
	again, diags := p.Plan(exclusiveType, before, plan.Config)
	diags.ExpectNoError(t)
	state, diags := p.Apply(again)
	diags.ExpectNoError(t)
	expectIn(t, o, "announcements")
	if state, diags = p.Read(exclusiveType, state); state == nil || len(diags.Errors()) > 0 {
		t.Fatalf("an empty channel is read as %v %v", state, diags)
	}
	additive, diags := p.Plan(additiveType, nil, values{"channel": "general", "users": []any{member}})
	diags.ExpectNoError(t)
	if _, diags := p.Apply(additive); len(diags.Errors()) > 0 {
		t.Error(diags)
	}
}
