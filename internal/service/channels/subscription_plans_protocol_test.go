package channels_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

var bothTypes = []string{exclusiveType, additiveType}

// The order in which the users are written, the case of their addresses, repetitions, and whether they are written by address
// or ID are no change; the state keeps what was written first.
func TestProtocolSubscriptionTheOrderOfUsersIsNoChange(t *testing.T) {
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
			// Where somebody comes, the new order is taken over with them, repetitions too.
			users := texts(admin, owner, member, member, member2, guest)
			run.MustApply(values{"channel": "vault", "users": users})
			if !slices.Equal(run.State.Values["users"].([]any), users) {
				t.Errorf("the state has %v", run.State.Values["users"])
			}
			expectIn(t, o, "vault", owner, admin, member, member2, guest)
		})
	}
}

// What is imported does not depend on the order in which the server lists people.
func TestProtocolSubscriptionTheOrderOfAnImportIsStable(t *testing.T) {
	o := acctest.NewSandbox(t, sandbox.Config{})
	private(t, o, "vault", nil, owner, guest, member, admin)
	for _, kind := range bothTypes {
		var first any
		for range 3 {
			run := o.NewRun(t, kind)
			run.Import("", values{"channel_id": o.MustChannel(t, "vault").ID}).ExpectNoError(t)
			if first == nil {
				first = run.State.Values["users"]
			}
			if fmt.Sprint(run.State.Values["users"]) != fmt.Sprint(first) {
				t.Errorf("imported %v and %v", first, run.State.Values["users"])
			}
		}
	}
}

// Somebody who is not known at plan may turn out to be one whom the state has, so that the list names the same people in another
// order: the plan of the apply then contradicts none.
func TestProtocolSubscriptionAUserWhoIsNotKnownContradictsNoPlan(t *testing.T) {
	for _, kind := range bothTypes {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			o := acctest.NewSandbox(t, sandbox.Config{})
			private(t, o, "vault", nil, owner)
			run := o.NewRun(t, kind)
			run.MustApply(values{"channel": "vault", "users": texts(owner, member)})
			// Users of whom nothing is known leave everything as it is.
			plan, diags := run.Plan(values{"channel": "vault", "users": acctest.Unknown, "send_new_subscription_messages": true})
			diags.ExpectWarning(t, "users", `The subscribers of channel "vault" wait for the next apply`)
			if !plan.Empty() {
				t.Errorf("planned: %v", plan.Changes())
			}
			plan, diags = run.Plan(values{"channel": "vault", "users": []any{member, acctest.Unknown}})
			diags.ExpectNoError(t)
			if plan.Empty() { // the CLI does not apply it
				diags.ExpectWarning(t, "users", `The subscribers of channel "vault" wait for the next apply`)
			} else {
				plan.Config = values{"channel": "vault", "users": texts(member, owner)}
				run.Apply(plan).ExpectNoError(t)
			}
			plan, diags = run.Plan(values{"channel": "vault", "users": []any{owner, member, acctest.Unknown}}) // one more does not wait
			diags.ExpectNoError(t)
			plan.Config = values{"channel": "vault", "users": texts(owner, member, member2)}
			run.Apply(plan).ExpectNoError(t)
			expectIn(t, o, "vault", owner, member, member2)
		})
	}
}

// Somebody is deactivated between the plan and the apply, as where the same apply removes their zulip_user: the second plan
// agrees with the first, whoever the configuration lists.
func TestProtocolSubscriptionADeactivationBetweenThePlans(t *testing.T) {
	lists := map[string][]any{
		"lists them": texts(owner, member), "lists them and somebody new": texts(guest, member, owner), "lists them no more": texts(owner),
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
					if !plan.Empty() { // else the CLI does not apply it
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

// Who was deactivated when the list changed could not be unsubscribed. When they are back, the next plan says who leaves.
func TestProtocolSubscriptionWhoIsBackLeaves(t *testing.T) {
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
	diags.ExpectWarning(t, "users", "1 will be unsubscribed", member)
	run.Apply(plan).ExpectNoError(t)
	expectIn(t, o, "vault", owner)
	run.MustApply(config)
}

// Two lists of one channel are one too many, by whatever words they name it.
func TestProtocolSubscriptionTwoListsOfAChannelByNameAndByID(t *testing.T) {
	o := acctest.NewSandbox(t, sandbox.Config{})
	private(t, o, "vault", nil, owner)
	names := []any{"vault", "VAULT", fmt.Sprint(o.MustChannel(t, "vault").ID)}
	for _, one := range names {
		for _, other := range names {
			p := o.NewRun(t, exclusiveType).Process()
			_, diags := p.Plan(exclusiveType, nil, values{"channel": one, "users": texts(owner)})
			diags.ExpectNoError(t)
			_, diags = p.Plan(exclusiveType, nil, values{"channel": other, "users": texts(owner, member)})
			diags.ExpectError(t, "channel", "Two lists of the subscribers")
		}
	}
}

// One kind gives way to the other, or one resource to another of its kind. Which the CLI applies first is not known, so the
// plan refuses to take anybody out whom another resource lists, whichever is planned first; and says what to do.
func TestProtocolSubscriptionNobodyLeavesWhoIsListedElsewhere(t *testing.T) {
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
							return // both at once are refused anyway
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
					plans[1]().ExpectError(t, "users", `One resource unsubscribes from channel "vault" whom another lists`, member, "destroy = false")

					// Let go of without being destroyed, it takes nobody out.
					old.State = nil
					run := o.NewRun(t, kind)
					run.MustApply(values{"channel": "vault", "users": texts(owner, member, member2)})
					expectIn(t, o, "vault", owner, member, member2)
				})
			}
		}
	}
}
