package acctest

import (
	"context"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
)

// Run manages one resource like the CLI would, without a CLI. It plans and applies with a new provider process each time,
// and keeps the state.
type Run struct {
	// State is the resource in the state; nil if it is not in the state.
	State *Instance
	// Block is the provider block of every process.
	Block Values

	t        testing.TB
	ctx      context.Context // carries the log of every process
	resource string
}

// NewRun returns a run for one resource of a type, with the organization's account. The resource does not exist yet.
func (o *Organization) NewRun(t testing.TB, resource string) *Run {
	return NewRun(context.Background(), t, resource, o.Block(nil))
}

// Block returns a provider block with the organization's account and additional attributes.
func (o *Organization) Block(more Values) Values {
	block := Values{"site": o.credentials.site, "email": o.credentials.email, "api_key": o.credentials.key}
	for name, value := range more {
		block[name] = value
	}
	return block
}

// NewRun returns a run for one resource of a type, with a provider block. The resource does not exist yet. The provider logs
// to the loggers of ctx.
func NewRun(ctx context.Context, t testing.TB, resource string, block Values) *Run {
	return &Run{Block: block, t: t, ctx: ctx, resource: resource}
}

// Fork returns an independent run with the same state.
func (r *Run) Fork() *Run {
	fork := *r
	return &fork
}

// Process starts a configured process, which other resources may share.
func (r *Run) Process() *Process {
	r.t.Helper()
	return r.configured(StartProcess(r.ctx, r.t))
}

// alone starts a configured process for this resource alone.
func (r *Run) alone() *Process {
	r.t.Helper()
	return r.configured(StartProcessOf(r.ctx, r.t, provider.NewServerForOne("test")))
}

func (r *Run) configured(p *Process) *Process {
	r.t.Helper()
	p.Configure(r.Block).ExpectNoError(r.t)
	return p
}

// Plan refreshes the state and plans, as `terraform plan` does.
func (r *Run) Plan(config Values) (*PlannedChange, Diagnostics) {
	r.t.Helper()
	p := r.alone()
	var diags Diagnostics
	if config != nil {
		if diags = p.Validate(r.resource, config); len(diags.Errors()) > 0 {
			return nil, diags
		}
	}
	if r.State != nil {
		diags = append(diags, r.refresh(p)...)
		if len(diags.Errors()) > 0 {
			return nil, diags
		}
	}
	plan, planned := p.Plan(r.resource, r.State, config)
	return plan, append(diags, planned...)
}

// Apply applies a plan like `terraform apply` of a saved plan. It plans again, because values may be known now, and applies
// if the second plan agrees with the first.
func (r *Run) Apply(plan *PlannedChange) Diagnostics {
	r.t.Helper()
	return r.ApplyIn(r.alone(), plan)
}

// ApplyIn is Apply in a process that other resources share.
func (r *Run) ApplyIn(p *Process, plan *PlannedChange) Diagnostics {
	r.t.Helper()
	again, diags := p.Plan(r.resource, plan.Prior, plan.Config)
	if len(diags.Errors()) > 0 {
		return diags
	}
	plan.CheckAgain(r.t, again)
	state, applied := p.Apply(again)
	r.State = state
	if len(applied.Errors()) == 0 {
		again.CheckApplied(r.t, state)
	}
	return append(diags, applied...)
}

// ExpectOutdated fails the test unless Terraform refuses to apply a saved plan, because the second plan in the apply has
// another value of an attribute.
func (r *Run) ExpectOutdated(plan *PlannedChange, attribute string) {
	r.t.Helper()
	again, diags := r.alone().Plan(r.resource, plan.Prior, plan.Config)
	diags.ExpectNoError(r.t)
	if plan.agrees(attribute, plan.Values[attribute], again.Values[attribute]) {
		r.t.Errorf("%s: planned %v, and on apply %v, which Terraform accepts", attribute, plan.Values[attribute], again.Values[attribute])
	}
}

// MustPlan plans and fails the test if there is an error.
func (r *Run) MustPlan(config Values) *PlannedChange {
	r.t.Helper()
	plan, diags := r.Plan(config)
	diags.ExpectNoError(r.t)
	return plan
}

// MustApply plans and applies, and fails the test if there is an error or if the next plan is not empty.
func (r *Run) MustApply(config Values) {
	r.t.Helper()
	r.Apply(r.MustPlan(config)).ExpectNoError(r.t)
	if plan := r.MustPlan(config); !plan.Empty() {
		r.t.Fatalf("after the apply the plan still changes %q:\nhas:   %v\nplans: %v", plan.Changes(), plan.Prior.Values, plan.Values)
	}
}

// Refresh reads the resource; State is nil afterwards if it no longer exists.
func (r *Run) Refresh() Diagnostics {
	r.t.Helper()
	return r.refresh(r.alone())
}

// Import imports the resource by its ID, or by its identity if the ID is empty.
func (r *Run) Import(id string, identity Values) Diagnostics {
	r.t.Helper()
	p := r.alone()
	found, diags := p.Import(r.resource, id, identity)
	if len(diags.Errors()) > 0 {
		return diags
	}
	state, read := p.Read(r.resource, found)
	r.State = state
	return append(diags, read...)
}

// refresh upgrades and reads the state, like the CLI does with a state file.
func (r *Run) refresh(p *Process) Diagnostics {
	r.t.Helper()
	stored, diags := p.Upgrade(r.resource, r.State)
	if len(diags.Errors()) > 0 {
		return diags
	}
	state, read := p.Read(r.resource, stored)
	if len(read.Errors()) == 0 {
		r.State = state
	}
	return append(diags, read...)
}

// PlannedChange is a planned change of one resource.
type PlannedChange struct {
	// Prior is the prior state, nil to create; Config is the configuration, nil to destroy.
	Prior  *Instance
	Config Values
	// Values are the planned values, with unknown ones; nil to destroy.
	Values Values
	// Replace are the attributes that force a replacement.
	Replace []string

	resource  string
	private   []byte
	identity  *tfprotov6.ResourceIdentityData
	writeOnly map[string]bool // attributes that are never planned
	lists     map[string]bool // list attributes
}

// Changes returns the attributes that will change, in order.
func (p *PlannedChange) Changes() []string {
	var changes []string
	for name, value := range p.Values {
		if p.Prior == nil || !reflect.DeepEqual(value, p.Prior.Values[name]) {
			changes = append(changes, name)
		}
	}
	slices.Sort(changes)
	return changes
}

// Empty reports whether the plan changes nothing.
func (p *PlannedChange) Empty() bool {
	return (p.Prior == nil) == (p.Values == nil) && len(p.Changes()) == 0
}

// check checks a rule of the protocol: a planned value is the configured one, or an equivalent prior value.
func (p *PlannedChange) check(t testing.TB) {
	t.Helper()
	for name, configured := range p.Config {
		planned := p.Values[name]
		kept := p.Prior != nil && reflect.DeepEqual(planned, p.Prior.Values[name])
		if configured != nil && !kept && !p.writeOnly[name] && !p.agrees(name, configured, planned) {
			t.Errorf("%s: %v is configured, and %v planned", name, configured, planned)
		}
	}
}

// CheckAgain checks that a second plan agrees with the first.
func (p *PlannedChange) CheckAgain(t testing.TB, again *PlannedChange) {
	t.Helper()
	for name, planned := range p.Values {
		if !p.agrees(name, planned, again.Values[name]) {
			t.Errorf("%s: planned %v, and on apply %v", name, planned, again.Values[name])
		}
	}
}

// CheckApplied checks that the new state agrees with the plan.
func (p *PlannedChange) CheckApplied(t testing.TB, state *Instance) {
	t.Helper()
	if state == nil {
		if p.Values != nil {
			t.Error("nothing is in the state after the apply")
		}
		return
	}
	// The CLI does not allow the identity to change on an update in place.
	if p.Prior != nil && p.Prior.Identity != nil && len(p.Replace) == 0 && !reflect.DeepEqual(state.Identity, p.Prior.Identity) {
		t.Errorf("the identity was %v, and after the apply it is %v", p.Prior.Identity, state.Identity)
	}
	for name, planned := range p.Values {
		value := state.Values[name]
		if !p.agrees(name, planned, value) {
			t.Errorf("%s: planned %v, and after the apply %v", name, planned, value)
		}
		if hasUnknown(value) {
			t.Errorf("%s is not known after the apply", name)
		}
	}
}

// agrees reports whether a value of an attribute can have been planned. In a list, the position of known elements counts.
func (p *PlannedChange) agrees(attribute string, planned, value any) bool {
	elements, isList := planned.([]any)
	if !p.lists[attribute] || !isList {
		return agrees(planned, value)
	}
	values, _ := value.([]any)
	return slices.EqualFunc(elements, values, agrees)
}

// agrees reports whether a value can have been planned. An unknown value agrees with any, also inside of a map or an
// object.
func agrees(planned, value any) bool {
	if inner, ok := planned.(Values); ok {
		values, _ := value.(Values)
		return maps.EqualFunc(inner, values, agrees)
	}
	return hasUnknown(planned) || reflect.DeepEqual(planned, value)
}

// hasUnknown reports whether a value is unknown or contains an unknown value.
func hasUnknown(value any) bool {
	switch value := value.(type) {
	case unknown:
		return true
	case []any:
		return slices.ContainsFunc(value, hasUnknown)
	case Values:
		for _, inner := range value {
			if hasUnknown(inner) {
				return true
			}
		}
	}
	return false
}

// Limits on the number and size of allocations for four times the number. Quadratic growth takes sixteen times as much, and
// a buffer that doubles up to eight times.
const (
	mostTimes = 5
	mostBytes = 8
)

// ExpectLinear fails a test if the allocations grow with the square of a number. prepare creates this many objects, and
// returns the function to measure on its second call. With -short nothing is measured.
func ExpectLinear(t testing.TB, number int, prepare func(number int) (do func())) {
	t.Helper()
	if testing.Short() {
		prepare(number / shortPart)()
		return
	}
	times, bytes := allocated(prepare(number))
	timesOfMore, bytesOfMore := allocated(prepare(4 * number))
	t.Logf("%d: %d allocations, %d kB; %d: %d allocations, %d kB", number, times, bytes/1000, 4*number, timesOfMore, bytesOfMore/1000)
	if timesOfMore > mostTimes*times {
		t.Errorf("%d of them take %d allocations, %d of them %d", number, times, 4*number, timesOfMore)
	}
	if bytesOfMore > mostBytes*bytes {
		t.Errorf("%d of them take %d bytes, %d of them %d", number, bytes, 4*number, bytesOfMore)
	}
}

func allocated(do func()) (times, bytes uint64) {
	do() // the first call includes what a process computes once
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}
