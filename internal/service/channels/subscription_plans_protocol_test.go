package channels_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

var bothTypes = []string{exclusiveType, additiveType}

// Another order of the users, case of their emails, repetitions, and emails in place of IDs are no change. The state
// keeps the first form.
func TestProtocolSubscription_OtherOrder_NoChange(t *testing.T) {
	for _, kind := range bothTypes {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			o := acctest.NewSandbox(t, sandbox.Config{})
			private(t, o, "vault", nil, owner)
			run := o.NewRun(t, kind)
			written := texts(member2, owner, guest, member)
			run.MustApply(values{"channel": "vault", "users": written})
			for _, users := range [][]any{
				texts(owner, member, member2, guest), texts(guest, guest, member, member2, owner),
				{fmt.Sprint(subscriptionIdOf(t, o, guest)), "LENA.fischer@example.com", owner, member2, member},
			} {
				plan := run.MustPlan(values{"channel": "vault", "users": users})
				if !plan.Empty() {
					t.Errorf("%v: the plan changes %v", users, plan.Changes())
				}
				plan = run.MustPlan(values{"channel": "vault", "users": users, "send_new_subscription_messages": true})
				if got := fmt.Sprint(plan.Changes()); got != "[send_new_subscription_messages]" {
					t.Errorf("%v: the plan changes %v", users, got)
				}
			}
			if !slices.Equal(run.State.Values["users"].([]any), written) {
				t.Errorf("the state has %v", run.State.Values["users"])
			}
			// The new order is used when someone is added, with repetitions.
			users := texts(admin, owner, member, member, member2, guest)
			run.MustApply(values{"channel": "vault", "users": users})
			if !slices.Equal(run.State.Values["users"].([]any), users) {
				t.Errorf("the state has %v", run.State.Values["users"])
			}
			expectIn(t, o, "vault", owner, admin, member, member2, guest)
		})
	}
}

// A user who is not known during plan may be in the state, so that the list names the same people in another order. The
// plan of the apply then contradicts none.
func TestProtocolSubscription_UnknownUser_PlansConsistent(t *testing.T) {
	for _, kind := range bothTypes {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			o := acctest.NewSandbox(t, sandbox.Config{})
			private(t, o, "vault", nil, owner)
			run := o.NewRun(t, kind)
			run.MustApply(values{"channel": "vault", "users": texts(owner, member)})
			// An unknown list of users leaves everything unchanged.
			plan, diags := run.Plan(values{"channel": "vault", "users": acctest.Unknown, "send_new_subscription_messages": true})
			diags.ExpectWarning(t, "users", "A list waits for the next apply\nThe subscribers of channel \"vault\" wait for the next apply.")
			if !plan.Empty() {
				t.Errorf("planned: %v", plan.Changes())
			}
			plan, diags = run.Plan(values{"channel": "vault", "users": []any{member, acctest.Unknown}})
			diags.ExpectNoError(t)
			if plan.Empty() { // Terraform does not apply the plan
				diags.ExpectWarning(t, "users", "A list waits for the next apply\nThe subscribers of channel \"vault\" wait for the next apply.")
			} else {
				plan.Config = values{"channel": "vault", "users": texts(member, owner)}
				run.Apply(plan).ExpectNoError(t)
			}
			plan, diags = run.Plan(values{"channel": "vault", "users": []any{owner, member, acctest.Unknown}}) // with one more user, the plan does not wait
			diags.ExpectNoError(t)
			plan.Config = values{"channel": "vault", "users": texts(owner, member, member2)}
			run.Apply(plan).ExpectNoError(t)
			expectIn(t, o, "vault", owner, member, member2)
		})
	}
}

// A user is deactivated between plan and apply, for example because the same apply removes their zulip_user. The
// second plan agrees with the first, whatever the configuration lists.
func TestProtocolSubscription_DeactivatedBetweenPlans_Consistent(t *testing.T) {
	lists := map[string][]any{
		"lists them": texts(owner, member), "lists them and somebody new": texts(guest, member, owner), "no longer lists them": texts(owner),
		"lists somebody else instead": texts(member2, owner), "lists nobody": {},
	}
	for _, kind := range bothTypes {
		for name, users := range lists {
			for _, reactivated := range []bool{false, true} {
				t.Run(fmt.Sprint(kind, " ", name, " ", reactivated), func(t *testing.T) {
					t.Parallel()
					o := acctest.NewSandbox(t, sandbox.Config{})
					hall(t, o, "hall")
					run := o.NewRun(t, kind)
					run.MustApply(values{"channel": "hall", "users": texts(owner, member)})
					reactivate := func() {
						o.Call(t, http.MethodPost, fmt.Sprintf("/users/%d/reactivate", subscriptionIdOf(t, o, member)), nil)
					}
					change := func() { subscriptionDeactivate(t, o, member) }
					if reactivated {
						change()
						change = reactivate
					}
					config := values{"channel": "hall", "users": users}
					plan := run.MustPlan(config)
					change()
					if !plan.Empty() { // otherwise Terraform does not apply the plan
						run.Apply(plan)
					}
					if !reactivated {
						reactivate()
					}
					run.MustApply(config)
					var want []string
					for _, user := range users {
						want = append(want, user.(string))
					}
					expectIn(t, o, "hall", want...)
				})
			}
		}
	}
}

// A user who was deactivated when the list changed could not be unsubscribed. After a reactivation, the next plan
// unsubscribes them.
func TestProtocolSubscription_Reactivated_UnsubscribedNext(t *testing.T) {
	o := acctest.NewSandbox(t, sandbox.Config{})
	private(t, o, "vault", nil, owner)
	run := o.NewRun(t, additiveType)
	run.MustApply(values{"channel": "vault", "users": texts(owner, member)})
	subscriptionDeactivate(t, o, member)
	config := values{"channel": "vault", "users": texts(owner)}
	run.MustApply(config)
	o.Call(t, http.MethodPost, fmt.Sprintf("/users/%d/reactivate", subscriptionIdOf(t, o, member)), nil)
	expectIn(t, o, "vault", owner, member)
	plan, diags := run.Plan(config)
	diags.ExpectWarning(t, "users", "Reactivated users will be unsubscribed\n", member)
	run.Apply(plan).ExpectNoError(t)
	expectIn(t, o, "vault", owner)
	run.MustApply(config)
}

// A list names someone who was deactivated all the time, and so was never subscribed. The apply that reactivates them
// subscribes them too, and takes nothing for the change of someone else.
func TestProtocolSubscription_ListedWhileInactive_SubscribedOnReturn(t *testing.T) {
	for _, kind := range bothTypes {
		t.Run(kind, func(t *testing.T) {
			o := acctest.NewSandbox(t, sandbox.Config{})
			private(t, o, "vault", nil, owner)
			run, user := o.NewRun(t, kind), o.NewRun(t, "zulip_user")
			user.Import(member, nil).ExpectNoError(t)
			run.MustApply(values{"channel": "vault", "users": texts(owner)})
			user.MustApply(values{"email": member, "full_name": "Lena Fischer", "active": false})
			run.MustApply(values{"channel": "vault", "users": texts(owner, member)})
			expectIn(t, o, "vault", owner)

			config := values{"channel": "vault", "users": texts(owner, member, admin)}
			p := run.Process()
			returns := p.MustPlan("zulip_user", user.State, values{"email": member, "full_name": "Lena Fischer", "active": true})
			listed := p.MustPlan(kind, run.State, config)
			p = run.Process()
			user.ApplyIn(p, returns).ExpectNoError(t)
			run.ApplyIn(p, listed).ExpectNoError(t)
			expectIn(t, o, "vault", owner, member, admin)
			run.ExpectUnchanged(config)
		})
	}
}

// Two lists of one channel are refused, however they name it.
func TestProtocolSubscription_DuplicateList_Refused(t *testing.T) {
	o := acctest.NewSandbox(t, sandbox.Config{})
	private(t, o, "vault", nil, owner)
	names := []any{"vault", "VAULT", fmt.Sprint(o.MustChannel(t, "vault").ID)}
	for _, one := range names {
		for _, other := range names {
			for _, lists := range [][2][]any{{texts(owner), texts(owner, member)}, {texts(owner, member), texts(owner)}} {
				p := o.NewRun(t, exclusiveType).Process()
				_, diags := p.Plan(exclusiveType, nil, values{"channel": one, "users": lists[0]})
				diags.ExpectNoError(t)
				_, diags = p.Plan(exclusiveType, nil, values{"channel": other, "users": lists[1]})
				diags.ExpectError(t, "channel", "Duplicate list of subscribers")
			}
		}
	}
}

// One kind replaces the other, or one resource another of its kind. Terraform's order is not known, so the plan
// refuses to unsubscribe anyone whom another resource lists, whichever is planned first, and shows the fix.
func TestProtocolSubscription_ListedByOther_NotUnsubscribed(t *testing.T) {
	for _, kind := range bothTypes {
		for _, destroyed := range []bool{true, false} {
			for _, first := range []string{"the old", "the new"} {
				t.Run(fmt.Sprint(kind, " destroyed ", destroyed, " ", first), func(t *testing.T) {
					t.Parallel()
					o := acctest.NewSandbox(t, sandbox.Config{})
					private(t, o, "vault", nil, owner)
					old := o.NewRun(t, additiveType)
					old.MustApply(values{"channel": "vault", "users": texts(member, member2)})
					var reduced values
					if !destroyed {
						if kind == exclusiveType {
							return // both together are refused anyway
						}
						reduced = values{"channel": "vault", "users": texts(member2)}
					}
					p := old.Process()
					plans := []func() acctest.Diagnostics{
						func() acctest.Diagnostics { _, diags := p.Plan(additiveType, old.State, reduced); return diags },
						func() acctest.Diagnostics {
							_, diags := p.Plan(kind, nil, values{"channel": "vault", "users": texts(owner, member, member2)})
							return diags
						},
					}
					if first == "the new" {
						slices.Reverse(plans)
					}
					plans[0]().ExpectNoError(t)
					plans[1]().ExpectError(t, "users", `Conflicting subscriptions to channel "vault"`, member, "destroy = false")

					// Removing a resource from the state unsubscribes no one.
					old.State = nil
					run := o.NewRun(t, kind)
					run.MustApply(values{"channel": "vault", "users": texts(owner, member, member2)})
					expectIn(t, o, "vault", owner, member, member2)
				})
			}
		}
	}
}

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

// After a refused removal the state has the server's users, and the next plan repeats it.
func TestProtocolSubscription_RemovalRefused_PlannedNext(t *testing.T) {
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
					t.Fatal("nothing is planned, and the person keeps the role in the private channel")
				}
				run.Apply(plan).ExpectNoError(t)
				expectIn(t, o, "vault", owner)
				stateHas(t, run, owner)
			})
		}
	}
}

// A user that the resource did not subscribe never counts as added, neither after a failed request nor after a failed
// read.
func TestProtocolSubscription_SubscribedByOthers_NotCounted(t *testing.T) {
	o := acctest.NewSandbox(t, sandbox.Config{})
	private(t, o, "vault", nil, owner, member)
	run := o.NewRun(t, additiveType)
	run.Block = o.Block(values{"max_retries": 0})
	run.MustApply(values{"channel": "vault", "users": texts(owner, member)})
	expectAdded(t, o, run)

	// The request is refused, and the person is subscribed outside Terraform before the next apply.
	config := values{"channel": "vault", "users": texts(owner, member, guest)}
	heal := o.Sandbox.Fail(sandbox.Fault{Method: http.MethodPost, Path: subscriptionsPath, Action: sandbox.FaultStatus, Status: http.StatusServiceUnavailable})
	run.Apply(run.MustPlan(config)).ExpectError(t, "", "Cannot add "+guest)
	heal()
	expectAdded(t, o, run)
	stateHas(t, run, owner, member)
	subscribe(t, o, "vault", guest)
	run.MustApply(config)
	expectAdded(t, o, run)

	// A change outside Terraform precedes the request.
	config = values{"channel": "vault", "users": texts(owner, member, guest, member2)}
	plan := run.MustPlan(config)
	gate := o.Sandbox.Gate(http.MethodPost, subscriptionsPath)
	go func() {
		defer gate.Open()
		<-gate.Arrived
		go func() { (<-gate.Arrived).Release() }() // the user subscribed outside Terraform
		subscribe(t, o, "vault", member2)
	}()
	run.Apply(plan).ExpectNoError(t)
	expectAdded(t, o, run)

	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	expectIn(t, o, "vault", owner, member, guest, member2)
}

// Users that the resource has subscribed count as added through every failure of an update.
func TestProtocolSubscription_UpdateFails_AddedKept(t *testing.T) {
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

// If members cannot be read, neither the plan nor the apply passes.
func TestProtocolSubscription_SubscribersUnreadable_Refused(t *testing.T) {
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

// A channel that this run has emptied still exists.
func TestProtocolSubscription_ChannelEmptied_StateKept(t *testing.T) {
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

// A plan warns where the apply may keep the account out of a new private channel: by a list of subscribers without it, or by such
// initial subscribers. It does not warn where the account is known to be let in.
func TestProtocolSubscription_NewChannelWithoutAccount_Warning(t *testing.T) {
	const summary = "A new private channel may keep the provider's account out"
	vault := values{"name": "Vault", "privacy": "private_shared_history"}
	for name, test := range map[string]struct {
		channel values
		of      any // the channel of the list
		users   []any
		warns   bool
	}{
		"its list":                   {vault, acctest.Unknown, texts(member), true},
		"by its name":                {vault, "vault", texts(member), true},
		"lists the account":          {vault, acctest.Unknown, texts(member, owner), false},
		"another channel":            {vault, "general", texts(owner), false},
		"public":                     {values{"name": "Vault"}, acctest.Unknown, texts(member), false},
		"lets the account in":        {but(vault, values{"can_add_subscribers_group": texts("group:new", "user:"+owner)}), acctest.Unknown, texts(member), false},
		"lets its role in":           {but(vault, values{"can_subscribe_group": texts("role:owners")}), acctest.Unknown, texts(member), false},
		"may let the account in":     {but(vault, values{"can_add_subscribers_group": texts("group:new")}), acctest.Unknown, texts(member), true},
		"first subscribers":          {but(vault, values{"initial_subscribers": texts(member), "can_add_subscribers_group": texts("group:new")}), "general", texts(owner), true},
		"first subscribers, certain": {but(vault, values{"initial_subscribers": texts(member), "can_subscribe_group": texts("role:owners")}), "general", texts(owner), false},
	} {
		for _, protects := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", protection: ", protects), func(t *testing.T) {
				t.Parallel()
				o := acctest.NewSandbox(t, sandbox.Config{})
				run := o.NewRun(t, exclusiveType)
				run.Block["lockout_protection"] = protects
				p := run.Process()
				p.MustPlan("zulip_user_group", nil, values{"name": "new"})
				_, said := p.Plan("zulip_channel", nil, test.channel)
				_, diags := p.Plan(exclusiveType, nil, values{"channel": test.of, "users": test.users})
				said = append(said, diags...)
				if warns := strings.Contains(fmt.Sprint(said), summary); warns != (test.warns && protects) {
					t.Errorf("the plan says %v", said)
				}
			})
		}
	}
}
