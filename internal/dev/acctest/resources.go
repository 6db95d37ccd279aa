package acctest

import (
	"maps"
	"slices"
	"sync"
	"testing"
)

// A Get is a reference to an attribute of another part. In a plan it returns the planned value, in an apply the value in
// the state.
type Get func(part, attribute string) any

// An Entry is one resource of a configuration.
type Entry struct {
	Name, Kind string
	// Config is the configuration of the resource; nil if it is not configured.
	Config func(get Get) Values
	// Needs are the parts that it references.
	Needs []string
}

// Fixed returns the configuration of a part without references.
func Fixed(config Values) func(Get) Values { return func(Get) Values { return config } }

// Removed returns the part without a configuration.
func (p Entry) Removed() Entry {
	p.Config = nil
	return p
}

// Resources are the resources of one configuration. They are planned together in one process and applied in another, in any
// order, like the CLI does.
type Resources struct {
	*Organization
	// Block is the provider block of every process.
	Block Values
	// States are the resources in the state, by the names of their parts.
	States map[string]*Instance
	// Started is called when the process of an apply is configured.
	Started func()
	// Applied is called after each part that was applied without an error.
	Applied func(part Entry)

	t       *testing.T
	one     *Process        // plans and applies everything; nil: each in a process of its own
	mu      sync.Mutex      // for States and tainted
	tainted map[string]bool // parts with a failed create: the CLI destroys them and creates them again
}

// NewResources returns resources with an empty state and the organization's account.
func (o *Organization) NewResources(t *testing.T) *Resources {
	return &Resources{Organization: o, Block: o.Block(nil), t: t, States: map[string]*Instance{}, tainted: map[string]bool{}}
}

// InOneProcess lets one process plan and apply from now on, without a second plan. So an apply has all facts of the plan.
// Terraform does not do that.
func (r *Resources) InOneProcess() { r.one = r.Process() }

// Process starts a configured process.
func (r *Resources) Process() *Process {
	r.t.Helper()
	if r.one != nil {
		return r.one
	}
	p := StartProcess(r.t.Context(), r.t)
	p.Configure(r.Block).ExpectNoError(r.t)
	return p
}

// Import imports the object of a part.
func (r *Resources) Import(part, kind, id string) {
	r.t.Helper()
	p := r.Process()
	state, diags := p.Import(kind, id, nil)
	diags.ExpectNoError(r.t)
	r.States[part], diags = p.Read(kind, state)
	diags.ExpectNoError(r.t)
}

// get looks an attribute up in plans, and then in the state. If the part is in neither, the value is unknown.
func (r *Resources) get(plans map[string]*PlannedChange) Get {
	return func(part, attribute string) any {
		if plan := plans[part]; plan != nil && plan.Values != nil {
			return plan.Values[attribute]
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.States[part] != nil {
			return r.States[part].Values[attribute]
		}
		return Unknown
	}
}

// Plan refreshes and plans the parts in their order. A refused part has no plan.
func (r *Resources) Plan(parts ...Entry) (map[string]*PlannedChange, Diagnostics) {
	r.t.Helper()
	p, plans := r.Process(), map[string]*PlannedChange{}
	var reported Diagnostics
	for _, part := range parts {
		prior := r.States[part.Name]
		if prior != nil {
			var diags Diagnostics
			prior, diags = p.Read(part.Kind, prior)
			reported = append(reported, diags...)
			if len(diags.Errors()) > 0 {
				continue
			}
			r.States[part.Name] = prior
		}
		var config Values
		if part.Config != nil {
			config = part.Config(r.get(plans))
		}
		if r.tainted[part.Name] && config != nil {
			prior = nil
		}
		if prior == nil && config == nil {
			continue
		}
		plan, diags := p.Plan(part.Kind, prior, config)
		reported = append(reported, diags...)
		if len(diags.Errors()) == 0 {
			plans[part.Name] = plan
		}
	}
	return plans, reported
}

// Apply applies plans in the order of the parts. It plans each part again before, like the CLI does, except for a destroy.
// It skips parts without changes, and parts that reference a failed one.
func (r *Resources) Apply(plans map[string]*PlannedChange, parts ...Entry) Diagnostics {
	r.t.Helper()
	p := r.Process()
	if r.Started != nil {
		r.Started()
	}
	var reported Diagnostics
	failed := map[string]bool{}
	for _, part := range parts {
		plan := plans[part.Name]
		if plan == nil || plan.Empty() {
			continue
		}
		if part.Config != nil && slices.ContainsFunc(part.Needs, func(other string) bool { return failed[other] }) {
			failed[part.Name] = true
			continue
		}
		diags := r.applyPart(p, plan, part)
		reported = append(reported, diags...)
		failed[part.Name] = len(diags.Errors()) > 0
		if !failed[part.Name] && r.Applied != nil {
			r.Applied(part)
		}
	}
	return reported
}

// ApplyTogether is Apply for parts that do not reference each other. It applies them at the same time.
func (r *Resources) ApplyTogether(plans map[string]*PlannedChange, parts ...Entry) (reported Diagnostics) {
	r.t.Helper()
	p := r.Process()
	var under sync.WaitGroup
	all := make([]Diagnostics, len(parts))
	for i, part := range parts {
		if plan := plans[part.Name]; plan != nil && !plan.Empty() {
			under.Go(func() { all[i] = r.applyPart(p, plan, part) })
		}
	}
	under.Wait()
	return slices.Concat(all...)
}

func (r *Resources) applyPart(p *Process, plan *PlannedChange, part Entry) (reported Diagnostics) {
	r.t.Helper()
	r.mu.Lock()
	isTainted, held := r.tainted[part.Name], r.States[part.Name]
	r.mu.Unlock()
	if isTainted && held != nil {
		end, _ := r.Process().Plan(part.Kind, held, nil)
		held, reported = p.Apply(end)
		if r.keep(part, held, len(reported.Errors()) > 0); len(reported.Errors()) > 0 {
			return reported
		}
	}
	if part.Config != nil && r.one == nil {
		again, diags := p.Plan(part.Kind, plan.Prior, part.Config(r.get(nil)))
		reported = append(reported, diags...)
		if len(diags.Errors()) > 0 {
			return reported
		}
		plan.CheckAgain(r.t, again)
		plan = again
	}
	state, diags := p.Apply(plan)
	isFailed := len(diags.Errors()) > 0
	r.keep(part, state, isFailed && plan.Prior == nil)
	if !isFailed {
		plan.CheckApplied(r.t, state)
	}
	return append(reported, diags...)
}

func (r *Resources) keep(part Entry, state *Instance, isTainted bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.States[part.Name], r.tainted[part.Name] = state, isTainted
}

// isEmpty reports whether plans change nothing.
func isEmpty(plans map[string]*PlannedChange) bool {
	return !slices.ContainsFunc(slices.Collect(maps.Values(plans)), func(plan *PlannedChange) bool { return !plan.Empty() })
}

// ready returns the parts that can come next. A part comes after the parts that it references. If it is no longer
// configured, it comes before them.
func ready(parts []Entry) (next []Entry) {
	for _, one := range parts {
		waits := slices.ContainsFunc(parts, func(other Entry) bool {
			if other.Config == nil { // it is destroyed before the objects that it references change
				return slices.Contains(other.Needs, one.Name)
			}
			return one.Config != nil && slices.Contains(one.Needs, other.Name)
		})
		if !waits {
			next = append(next, one)
		}
	}
	return next
}

// ordered puts parts in an order that their references allow. choose selects one of the parts that can come next.
func ordered(parts []Entry, choose func(n int) int) (order []Entry) {
	for rest := slices.Clone(parts); len(rest) > 0; {
		next := ready(rest)
		one := next[choose(len(next))]
		order = append(order, one)
		rest = slices.DeleteFunc(rest, func(other Entry) bool { return other.Name == one.Name })
	}
	return order
}

// inOrder puts parts in the first order that their references allow.
func inOrder(parts []Entry) []Entry { return ordered(parts, func(int) int { return 0 }) }

// backwards puts parts in the last order that their references allow.
func backwards(parts []Entry) []Entry { return ordered(parts, func(n int) int { return n - 1 }) }
