package organization_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

func ordered(ids ...any) values { return values{"linkifier_ids": append([]any{}, ids...)} }

// four starts a sandbox with four linkifiers, and a run that manages their order.
func four(t *testing.T) (*acctest.Organization, *acctest.Run, [4]int64) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	var ids [4]int64
	for i, pattern := range []string{"a", "b", "c", "d"} {
		ids[i] = linkifierByHand(t, o, pattern)
	}
	run := o.NewRun(t, "zulip_linkifier_order")
	return o, run, ids
}

// expectOrder fails the test unless the linkifiers have these patterns, in this order.
func expectOrder(t *testing.T, o *acctest.Organization, want string) {
	t.Helper()
	got := ""
	for _, l := range linkifiers(t, o) {
		got += l.Pattern
	}
	if got != want {
		t.Errorf("the order is %q, want %q", got, want)
	}
}

func TestProtocolLinkifierOrderDrift(t *testing.T) {
	o, run, ids := four(t)
	a, b, c, d := ids[0], ids[1], ids[2], ids[3]
	_, diags := run.Plan(ordered(b))
	diags.ExpectWarning(t, "", change.ManagedSummary, fmt.Sprintf("now:                        %d, %d, %d, %d", a, b, c, d), fmt.Sprintf("asks for: %d, %d, %d, %d", b, a, c, d))
	run.MustApply(ordered(a, b))
	byHand := func(order ...int64) {
		t.Helper()
		acctest.NoError(t, o.Client.OrderLinkifiers(context.Background(), order))
	}
	byHand(a, b, d, c) // unnamed linkifiers can be in any order
	run.ExpectUnchanged(ordered(a, b))
	for _, order := range [][]int64{{b, a, d, c}, {d, a, b, c}, {a, d, b, c}} {
		byHand(order...)
		if plan := run.MustPlan(ordered(a, b)); plan.Empty() {
			t.Errorf("%v is another order, and nothing is planned", order)
		}
		run.MustApply(ordered(a, b))
		expectOrder(t, o, "abdc")
	}
	acctest.NoError(t, o.Client.DeleteLinkifier(context.Background(), b))
	sent := o.Sent()
	plan, diags := run.Plan(ordered(a, b))
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "linkifier_ids", "left out of the order", fmt.Sprintf("no linkifier with the ID %d", b))
	if !plan.Empty() {
		t.Errorf("planned: %v", plan.Changes())
	}
	run.MustApply(ordered(a, b))
	sent.Expect(t)
	// The named ones that exist are still put in order.
	byHand(c, d, a)
	run.MustApply(ordered(a, b))
	expectOrder(t, o, "acd")
	run.MustApply(ordered(d, a, b))
	expectOrder(t, o, "dac")

	// All missing ones are in one warning. IDs that never existed are in one error.
	for _, id := range []int64{a, d} {
		acctest.NoError(t, o.Client.DeleteLinkifier(context.Background(), id))
	}
	_, diags = run.Plan(ordered(d, a, b))
	if len(diags) != 1 {
		t.Errorf("not one warning: %v", diags)
	}
	_, diags = run.Plan(ordered(999998, 999999))
	if len(diags.Errors()) != 1 {
		t.Errorf("not one error: %v", diags)
	}
}

func TestProtocolLinkifierOrderBadInput(t *testing.T) {
	o, run, ids := four(t)
	run.ExpectRefused(ordered(ids[0], ids[0]), "linkifier_ids", "is listed twice")
	run.ExpectRefused(ordered(999999), "linkifier_ids", "No such linkifier", "999999")
	run.MustPlan(values{"linkifier_ids": acctest.Unknown})
	run.MustPlan(ordered(acctest.Unknown, ids[0], acctest.Unknown))

	run.ExpectRefused(ordered(), "linkifier_ids", "at least 1")
	moderator := o.As(t, "moderator").NewRun(t, "zulip_linkifier_order")
	moderator.ExpectRefused(ordered(ids[1]), "", "cannot order linkifiers", "moderator")
	moderator.MustPlan(ordered(ids[0])) // is so already

	p := run.Process() // one configuration has two orders
	p.MustPlan("zulip_linkifier_order", nil, ordered(ids[0], ids[1]))
	_, diags := p.Plan("zulip_linkifier_order", nil, ordered(ids[1], ids[0]))
	diags.ExpectError(t, "linkifier_ids", "Duplicate order of the linkifiers")
}

// Another process, such as that of a second provider configuration, adds a linkifier after this one has read them.
func TestProtocolLinkifierOrder_AddedByAnotherProcess_Found(t *testing.T) {
	o, run, ids := four(t)
	p := run.Process()
	p.MustPlan("zulip_linkifier_order", nil, ordered(acctest.Unknown, ids[0]))
	linkifierByHand(t, o, "e")
	p.MustPlan("zulip_linkifier_order", nil, ordered(ids[0], idsInOrder(t, o, "e")[0]))
}

// A linkifier is added during the request, and the server requires every linkifier in the order.
func TestProtocolLinkifierOrder_AddedDuringRequest(t *testing.T) {
	o, run, ids := four(t)
	plan := run.MustPlan(ordered(ids[1]))
	gate := o.Sandbox.Gate("PATCH", "/realm/linkifiers")
	done := make(chan acctest.Diagnostics)
	go func() { done <- run.Apply(plan) }()
	held := <-gate.Arrived
	linkifierByHand(t, o, "e")
	held.Release()
	gate.Open()
	(<-done).ExpectNoError(t)
	expectOrder(t, o, "bacde")
}

// An order that was changed after the plan is not overwritten. Added or deleted linkifiers are no conflict.
func TestProtocolLinkifierOrderConflict(t *testing.T) {
	o, run, ids := four(t)
	a, b, c, d := ids[0], ids[1], ids[2], ids[3]
	run.MustApply(ordered(b, a))
	plan := run.MustPlan(ordered(c, b))
	acctest.NoError(t, o.Client.OrderLinkifiers(context.Background(), []int64{d, b, a, c}))
	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "", "The order of the linkifiers was changed after the plan was made", "linkifier_ids",
		fmt.Sprintf("%d, %d", b, a), fmt.Sprintf("%d, %d, %d", d, b, a), fmt.Sprintf("%d, %d", c, b))
	sent.Expect(t)
	expectOrder(t, o, "dbac")

	run.MustApply(ordered(b, a))
	plan = run.MustPlan(ordered(d, b))
	linkifierByHand(t, o, "e")
	acctest.NoError(t, o.Client.DeleteLinkifier(context.Background(), b))
	diags := run.Apply(plan)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "linkifier_ids", "left out of the order", fmt.Sprintf("no linkifier with the ID %d", b))
	expectOrder(t, o, "dace")

	// They are already in the planned order.
	plan = run.MustPlan(ordered(c, a))
	acctest.NoError(t, o.Client.OrderLinkifiers(context.Background(), idsInOrder(t, o, "caed")))
	sent = o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t)
}

// idsInOrder returns the IDs of the linkifiers with these patterns.
func idsInOrder(t *testing.T, o *acctest.Organization, patterns string) (ids []int64) {
	t.Helper()
	for _, pattern := range patterns {
		for _, l := range linkifiers(t, o) {
			if l.Pattern == string(pattern) {
				ids = append(ids, l.ID)
			}
		}
	}
	return ids
}
