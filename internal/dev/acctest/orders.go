package acctest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Orders is a change of a configuration, planned and applied in every order that its references allow, because no CLI
// promises an order. A schedule may have a change outside Terraform between the plan and the apply, or a fault at a request
// of the apply.
type Orders struct {
	// Start prepares an organization. The configuration before is applied to it.
	Start func(t *testing.T) *Resources
	// Imported are the parts that are imported initially instead of being created, and their import IDs.
	Imported      map[string]string
	Before, After []Entry
	// OutsideChanges are the changes outside Terraform.
	OutsideChanges map[string]func(t *testing.T, o *Organization)
	// Blocked is the change outside Terraform that correctly prevents every later apply.
	Blocked string
	// PlanFails is true if the plan of a part is refused permanently.
	PlanFails bool
	// LosesPermissions is true if the provider's account loses permissions by the change, so that later plans may be refused.
	LosesPermissions bool
	// Promise is called before every apply, and check after it, with the diagnostics of the apply.
	Promise func(t *testing.T, a *OrderedApply) (check func(Diagnostics))
	// Done is called when the plan is empty.
	Done func(t *testing.T, a *OrderedApply)
}

// OrderedApply is one apply of [Orders], as an argument of Promise.
type OrderedApply struct {
	*Resources
	Plans map[string]*PlannedChange
	// OutsideChange is the change outside Terraform in this schedule, and Fault the fault; "" for none.
	OutsideChange, Fault string
	// IsRepeated is true for the applies after the first one, which have no changes outside Terraform and no faults.
	IsRepeated bool
}

// requestFaults are the faults of one request of an apply.
var requestFaults = map[string]sandbox.Fault{
	"429":            {Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: time.Millisecond},
	"503 before":     {Action: sandbox.FaultStatus, Status: http.StatusServiceUnavailable},
	"503 after":      {Action: sandbox.FaultStatus, Status: http.StatusServiceUnavailable, After: true},
	"answer dropped": {Action: sandbox.FaultDrop, After: true},
}

// fewestOrders is the minimum number of schedules of the configurations.
const fewestOrders = 20

// TryOrders tries configurations on many schedules. See [Schedules].
func TryOrders(t *testing.T, what string, all map[string]*Orders) {
	t.Helper()
	runs := map[string]*ordersRun{}
	for name, orders := range all {
		runs[name] = &ordersRun{Orders: orders}
	}
	Schedules(t, what, fewestOrders, runs, func(t *testing.T, run *ordersRun, s *Schedule) { run.try(t, s) })
}

type ordersRun struct {
	*Orders
	requests int // maximum number of requests of an apply so far
}

// The kinds of schedules. The first schedule is undisturbed, and measures the number of requests that can fail.
const (
	undisturbed = iota
	changedByHand
	faulted
)

// choose chooses the orders and the disturbance. With a disturbance it chooses one order and derives the other, because all
// combinations would be too many.
func (run *ordersRun) choose(s *Schedule) (planned, applied []Entry, outsideChange, fault string, position int) {
	kinds := []int{undisturbed, faulted}
	if len(run.OutsideChanges) > 0 {
		kinds = append(kinds, changedByHand)
	}
	kind := kinds[s.Choose(len(kinds))]
	if kind == faulted {
		position = s.Choose(max(1, run.requests))
		names := slices.Sorted(maps.Keys(requestFaults))
		which := s.Choose(len(names))
		applied = ordered(run.After, func(n int) int { return (position + which) % n })
		return applied, applied, "", names[which], position
	}
	applied = ordered(run.After, s.Choose)
	if kind == changedByHand {
		names := slices.Sorted(maps.Keys(run.OutsideChanges))
		return backwards(applied), applied, names[s.Choose(len(names))], "", 0
	}
	return ordered(run.After, s.Choose), applied, "", "", 0
}

// try plans and applies once, with the schedule's disturbance, and then applies until the plan is empty.
func (run *ordersRun) try(t *testing.T, s *Schedule) {
	planned, applied, outsideChange, fault, position := run.choose(s)
	t.Logf("planned as %s, applied as %s, by hand %q, fault %q at request %d", names(planned), names(applied), outsideChange, fault, position)
	r := run.begin(t)
	plans, diags := r.Plan(planned...)
	if (len(diags.Errors()) > 0) != run.PlanFails {
		t.Fatalf("the plan reports:\n%v", diags)
	}
	if outsideChange != "" {
		run.OutsideChanges[outsideChange](t, r.Organization)
	}
	sent, heal := r.Sent(), func() {}
	r.Started = func() {
		sent = r.Sent()
		if fault != "" {
			rule := requestFaults[fault]
			rule.Skip, rule.Count = position, 1
			heal = r.Sandbox.Fail(rule)
		}
	}
	apply := &OrderedApply{Resources: r, Plans: plans, OutsideChange: outsideChange, Fault: fault}
	check := run.Promise(t, apply)
	diags = r.Apply(plans, applied...)
	run.requests = max(run.requests, len(sent.Requests()))
	heal()
	r.Started = nil
	check(diags)
	if outsideChange == "" || outsideChange != run.Blocked {
		run.converge(t, apply, applied)
	}
}

// begin applies the initial configuration.
func (run *ordersRun) begin(t *testing.T) *Resources {
	t.Helper()
	r := run.Start(t)
	for _, part := range append(slices.Clone(run.Before), run.After...) {
		if id := run.Imported[part.Name]; id != "" && r.States[part.Name] == nil {
			r.Import(part.Name, part.Kind, id)
		}
	}
	order := inOrder(run.Before)
	plans, diags := r.Plan(order...)
	diags.ExpectNoError(t)
	r.Apply(plans, order...).ExpectNoError(t)
	return r
}

// converge plans and applies in other orders until the plan is empty.
func (run *ordersRun) converge(t *testing.T, apply *OrderedApply, order []Entry) {
	t.Helper()
	apply.IsRepeated = true
	for range len(order) + 1 {
		order = backwards(order)
		plans, diags := apply.Plan(order...)
		if !run.PlanFails && !run.LosesPermissions {
			diags.ExpectNoError(t)
		}
		apply.Plans = plans
		if isEmpty(plans) {
			if run.Done != nil {
				run.Done(t, apply)
			}
			return
		}
		check := run.Promise(t, apply)
		check(apply.Apply(plans, order...))
	}
	t.Error("there is always something left to do")
}

func names(parts []Entry) string {
	all := make([]string, len(parts))
	for i, part := range parts {
		all[i] = part.Name
	}
	return fmt.Sprintf("[%s]", strings.Join(all, " "))
}
