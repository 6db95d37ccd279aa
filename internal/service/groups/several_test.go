package groups_test

import (
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// A part is one resource of a configuration.
type part struct {
	name, kind string
	// config is what the configuration says of it; nil for one that is left out of it. get is a reference to an attribute of
	// another part.
	config func(get func(name, attribute string) any) values
	// refersTo are the parts that come before: of one that is left out, after.
	refersTo []string
}

// says is the configuration of a part that refers to no other.
func says(config values) func(func(string, string) any) values {
	return func(func(string, string) any) values { return config }
}

// Several are the resources of one configuration, planned together in one process and applied in another, as the CLI does,
// in any order.
type several struct {
	t      *testing.T
	o      *acctest.Organization
	block  values
	states map[string]*acctest.Instance
	// tainted are those whose creation failed: the CLI ends them and creates them again.
	tainted map[string]bool
}

func newSeveral(t *testing.T, o *acctest.Organization) *several {
	t.Helper()
	return &several{t: t, o: o, block: o.Block(nil), states: map[string]*acctest.Instance{}, tainted: map[string]bool{}}
}

func (s *several) process() *acctest.Process {
	s.t.Helper()
	p := acctest.StartProcess(s.t.Context(), s.t)
	p.Configure(s.block).ExpectNoError(s.t)
	return p
}

// take imports what a part is to manage.
func (s *several) take(name, kind, id string) {
	s.t.Helper()
	p := s.process()
	state, diags := p.Import(kind, id, nil)
	diags.ExpectNoError(s.t)
	s.states[name], diags = p.Read(kind, state)
	diags.ExpectNoError(s.t)
}

// plan plans the parts in the order in which they stand.
func (s *several) plan(parts ...part) (map[string]*acctest.PlannedChange, acctest.Diagnostics) {
	s.t.Helper()
	p, plans := s.process(), map[string]*acctest.PlannedChange{}
	var reported acctest.Diagnostics
	get := func(name, attribute string) any {
		if plan := plans[name]; plan != nil && plan.Values != nil {
			return plan.Values[attribute]
		}
		return s.states[name].Values[attribute]
	}
	for _, one := range parts {
		prior := s.states[one.name]
		if prior != nil {
			var diags acctest.Diagnostics
			prior, diags = p.Read(one.kind, prior)
			reported = append(reported, diags...)
			s.states[one.name] = prior
		}
		var config values
		if one.config != nil {
			config = one.config(get)
		}
		if s.tainted[one.name] && config != nil {
			prior = nil
		}
		if prior == nil && config == nil {
			continue
		}
		plan, diags := p.Plan(one.kind, prior, config)
		plans[one.name], reported = plan, append(reported, diags...)
	}
	return plans, reported
}

// apply carries plans out in the order in which the parts stand, each planned again before, as the CLI does: but for the end
// of a resource. What is planned to stay as it is is not visited, and what refers to a part that failed is not either.
func (s *several) apply(plans map[string]*acctest.PlannedChange, parts ...part) acctest.Diagnostics {
	s.t.Helper()
	p := s.process()
	var reported acctest.Diagnostics
	get := func(name, attribute string) any { return s.states[name].Values[attribute] }
	failed := map[string]bool{}
	for _, one := range parts {
		plan := plans[one.name]
		if plan == nil || plan.Empty() {
			continue
		}
		if one.config != nil && slices.ContainsFunc(one.refersTo, func(other string) bool { return failed[other] }) {
			failed[one.name] = true
			continue
		}
		if s.tainted[one.name] && s.states[one.name] != nil {
			end, _ := s.process().Plan(one.kind, s.states[one.name], nil)
			state, diags := p.Apply(end)
			s.states[one.name], reported = state, append(reported, diags...)
			if len(diags.Errors()) > 0 {
				continue
			}
		}
		if one.config != nil {
			again, diags := p.Plan(one.kind, plan.Prior, one.config(get))
			reported = append(reported, diags...)
			if len(diags.Errors()) > 0 {
				failed[one.name] = true
				continue
			}
			plan.CheckAgain(s.t, again)
			plan = again
		}
		state, diags := p.Apply(plan)
		s.states[one.name], reported = state, append(reported, diags...)
		failed[one.name] = len(diags.Errors()) > 0
		s.tainted[one.name] = failed[one.name] && plan.Prior == nil
		if !failed[one.name] {
			plan.CheckApplied(s.t, state)
		}
	}
	return reported
}

// orders are all orders of parts in which what one refers to comes before, or after it if it is left out of the configuration.
func orders(parts []part) (all [][]part) {
	if len(parts) == 0 {
		return [][]part{nil}
	}
	for i, first := range parts {
		rest := slices.Delete(slices.Clone(parts), i, i+1)
		waits := slices.ContainsFunc(rest, func(other part) bool {
			if other.config == nil { // it ends before what it refers to changes
				return slices.Contains(other.refersTo, first.name)
			}
			return first.config != nil && slices.Contains(first.refersTo, other.name)
		})
		if waits {
			continue
		}
		for _, order := range orders(rest) {
			all = append(all, append([]part{first}, order...))
		}
	}
	return all
}
