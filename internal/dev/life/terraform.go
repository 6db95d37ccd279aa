package life

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// An instance is a resource in the state.
type instance struct {
	*acctest.Instance
	kind                string
	needs               []string // base addresses of the resources that it depends on
	createBeforeDestroy bool
	usesSecond          bool
	isTainted           bool
}

// deposed is the end of the address of an object whose replacement exists already.
const deposed = " (deposed)"

// The actions of a planned change.
const (
	noOp    = "no-op"
	create  = "create"
	update  = "update"
	destroy = "delete"
	replace = "replace"
)

// A plannedChange is the planned change of one resource.
type plannedChange struct {
	address, action string
	block           *block // nil to destroy
	prior           *instance
	plan            *acctest.PlannedChange // what creates or updates
	end             *acctest.PlannedChange // what destroys
	createsFirst    bool
}

// A fullPlan has the planned changes by address.
type fullPlan struct {
	changes  map[string]*plannedChange
	config   *configuration
	problems []problem
	broken   []string // violations of the protocol
	isFailed bool
}

func (p *fullPlan) isEmpty() bool { return len(p.words()) == 0 }

// words lists the changes.
func (p *fullPlan) words() (found []string) {
	for _, address := range slices.Sorted(maps.Keys(p.changes)) {
		one := p.changes[address]
		switch one.action {
		case noOp:
		case update:
			found = append(found, fmt.Sprintf("%s %s %q", one.action, address, one.plan.Changes()))
		default:
			found = append(found, one.action+" "+address)
		}
	}
	return found
}

func closure(of []string, direct map[string][]string) (all []string) {
	for _, one := range of {
		if !slices.Contains(all, one) {
			all = append(all, one)
			for _, further := range closure(direct[one], direct) {
				if !slices.Contains(all, further) {
					all = append(all, further)
				}
			}
		}
	}
	return all
}

// dependencies lists the base addresses that each resource of a configuration depends on, also indirectly, and the addresses
// that create before they destroy: also what such a resource depends on.
func (c *configuration) dependencies() (needs map[string][]string, createsFirst map[string]bool) {
	direct := map[string][]string{}
	for address, b := range c.blocks {
		direct[base(address)] = append(direct[base(address)], b.needs()...)
	}
	needs, createsFirst = map[string][]string{}, map[string]bool{}
	for address, b := range c.blocks {
		needs[address] = closure(b.needs(), direct)
		if b.createBeforeDestroy {
			createsFirst[base(address)] = true
			for _, other := range needs[address] {
				createsFirst[other] = true
			}
		}
	}
	return needs, createsFirst
}

// plan refreshes and plans all resources.
func (w *World) plan() *fullPlan {
	w.problems = nil
	c := w.config
	p := &fullPlan{changes: map[string]*plannedChange{}, config: c}
	for from, to := range c.moved {
		if state := w.states[from]; state != nil && w.states[to] == nil {
			delete(w.states, from)
			w.states[to] = state
		}
	}
	for _, address := range c.removed {
		delete(w.states, address)
	}
	needs, createsFirst := c.dependencies()
	all := c.addresses()
	for address := range w.states {
		if c.blocks[address] == nil {
			all = append(all, address)
		}
	}
	after := map[string][]string{}
	for address := range c.blocks {
		for _, other := range needs[address] {
			for candidate := range c.blocks {
				if base(candidate) == other {
					after[address] = append(after[address], candidate)
				}
			}
		}
	}
	if w.target != "" {
		all = slices.DeleteFunc(all, func(address string) bool {
			isNeeded := slices.Contains(needs[w.target], base(address))
			return c.blocks[address] == nil || address != w.target && !isNeeded
		})
	}
	r := w.start()
	get := func(one ref) any {
		w.mu.Lock()
		defer w.mu.Unlock()
		if found := p.changes[one.address]; found != nil && found.plan != nil {
			return found.plan.Values[one.attribute]
		}
		return acctest.Unknown
	}
	w.walk(all, after, func(address string) bool {
		b, prior := c.blocks[address], w.stateOf(address)
		one := &plannedChange{address: address, block: b, prior: prior, createsFirst: createsFirst[base(address)]}
		ok := w.planOne(r, c, one, needs[address], get)
		w.mu.Lock()
		defer w.mu.Unlock()
		if ok && one.action != "" {
			p.changes[address] = one
		}
		return ok
	})
	p.problems, p.broken = w.problems, r.found
	p.isFailed = isFailed(p.problems)
	return p
}

func isFailed(problems []problem) bool {
	return slices.ContainsFunc(problems, func(one problem) bool { return one.IsError })
}

func (w *World) stateOf(address string) *instance {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.states[address]
}

func (w *World) setState(address string, state *instance) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if state == nil || state.Instance == nil {
		delete(w.states, address)
		return
	}
	w.states[address] = state
	w.ever[fmt.Sprint(state.kind, " ", state.Values["id"])] = true
}

// planOne refreshes and plans one resource.
func (w *World) planOne(r *run, c *configuration, one *plannedChange, needs []string, get func(ref) any) (ok bool) {
	b, address := one.block, one.address
	var process *acctest.Process
	kind := one.kind()
	if b != nil {
		process = r.process(b.usesSecond)
	} else {
		process = r.process(one.prior.usesSecond)
		one.createsFirst = one.prior.createBeforeDestroy
	}
	if id := c.imports[address]; id != "" && one.prior == nil {
		found, diags := process.Import(kind, id, nil)
		if !w.report(address, diags) {
			return false
		}
		one.prior = &instance{Instance: found, kind: kind, usesSecond: b.usesSecond}
	}
	if one.prior != nil {
		stored, diags := process.Upgrade(kind, one.prior.Instance)
		if !w.report(address, diags) {
			return false
		}
		read := stored
		if !w.skipsRefresh {
			read, diags = process.Read(kind, stored)
			if !w.report(address, diags) {
				return false
			}
		}
		refreshed := *one.prior
		refreshed.Instance = read
		one.prior = &refreshed
		if read == nil {
			one.prior = nil
		} else if b != nil {
			for _, other := range needs {
				if !slices.Contains(refreshed.needs, other) {
					refreshed.needs = append(slices.Clone(refreshed.needs), other)
				}
			}
		}
		w.setState(address, one.prior)
	}
	if b == nil {
		if one.prior == nil {
			return true
		}
		end, diags := process.Plan(kind, one.prior.Instance, nil)
		one.end, one.action = end, destroy
		return w.report(address, diags)
	}
	config := b.evaluate(get)
	if !w.report(address, process.Validate(kind, config)) {
		return false
	}
	var before *acctest.Instance
	if one.prior != nil && !one.prior.isTainted {
		before = one.prior.Instance
	}
	planned, diags := process.Plan(kind, before, config)
	if !w.report(address, diags) {
		return false
	}
	one.plan = planned
	switch {
	case one.prior == nil:
		one.action = create
	case one.prior.isTainted:
		one.action = replace
	case len(planned.Replace) > 0 || slices.Contains(c.replace, address):
		again, diags := process.Plan(kind, planned.Replaced(), config)
		if !w.report(address, diags) {
			return false
		}
		again.Prior = nil
		one.plan, one.action = again, replace
	case planned.Empty():
		one.action = noOp
	default:
		one.action = update
	}
	return true
}

// applyPlan applies a plan. It returns the messages, and violations of the protocol.
func (w *World) applyPlan(p *fullPlan) (problems []problem, broken []string) {
	w.problems = nil
	needs, _ := p.config.dependencies()
	r := w.start()
	const ends = " (destroy)"
	all, after := []string{}, map[string][]string{}
	put := func(one, earlier string) { after[one] = append(after[one], earlier) }
	for _, address := range slices.Sorted(maps.Keys(p.changes)) {
		one := p.changes[address]
		if one.block != nil {
			all = append(all, address)
		}
		if one.action == destroy || one.action == replace {
			all = append(all, address+ends)
		}
		if one.action == replace && one.createsFirst {
			put(address+ends, address)
		} else if one.action == replace {
			put(address, address+ends)
		}
		for otherAddress, other := range p.changes {
			isEnding := other.action == destroy || other.action == replace
			if one.block != nil && other.block != nil && slices.Contains(needs[address], base(otherAddress)) {
				put(address, otherAddress)
			}
			if one.prior == nil || !slices.Contains(one.prior.needs, base(otherAddress)) || address == otherAddress {
				continue
			}
			if isEnding && (one.action == destroy || one.action == replace) {
				put(otherAddress+ends, address+ends)
			}
			if isEnding && one.block != nil {
				if other.createsFirst || one.action == replace && one.createsFirst { // otherwise a cycle: its old object ends in between
					put(otherAddress+ends, address)
				} else {
					put(address, otherAddress+ends)
				}
			}
			if other.block != nil && (one.action == destroy || one.action == replace && !one.createsFirst) {
				put(otherAddress, address+ends)
			}
		}
	}
	get := func(one ref) any {
		if state := w.stateOf(one.address); state != nil {
			return state.Values[one.attribute]
		}
		return acctest.Unknown
	}
	w.walk(all, after, func(node string) bool {
		if address, isEnd := strings.CutSuffix(node, ends); isEnd {
			return w.destroyOne(r, p.changes[address])
		}
		one := p.changes[node]
		if one.action == noOp {
			return true
		}
		return w.applyOne(r, one, needs[node], get)
	})
	return w.problems, r.found
}

func (w *World) destroyOne(r *run, one *plannedChange) (ok bool) {
	address, prior := one.address, one.prior
	process := r.process(prior.usesSecond)
	end := one.end
	if one.action == replace {
		if one.createsFirst {
			address += deposed
			planned, diags := process.Plan(prior.kind, prior.Instance, nil)
			if !w.report(address, diags) {
				return false
			}
			end = planned
		} else {
			end = process.DestroyOf(one.plan, prior.Instance)
		}
	}
	left, diags := process.Apply(end)
	state := *prior
	state.Instance = left
	w.setState(address, &state)
	return w.report(address, diags)
}

func (w *World) applyOne(r *run, one *plannedChange, needs []string, get func(ref) any) (ok bool) {
	b := one.block
	process := r.process(b.usesSecond)
	named := &recorder{}
	defer func() {
		for _, message := range named.found {
			r.add(one.address + ": " + message)
		}
	}()
	before := one.plan.Prior
	if one.action == replace {
		before = nil
		if one.createsFirst {
			w.setState(one.address+deposed, one.prior)
		}
	}
	again, diags := process.Plan(b.kind, before, b.evaluate(get))
	if !w.report(one.address, diags) {
		return false
	}
	if one.action == replace {
		again.Prior = nil
	}
	one.plan.CheckAgain(named, again)
	if one.action == update && len(again.Replace) > 0 {
		named.Errorf("%q force a replacement in the apply only", again.Replace)
	}
	if len(named.found) > 0 {
		return false
	}
	made, diags := process.Apply(again)
	isFailed := !w.report(one.address, diags)
	if isFailed && made == nil && one.createsFirst { // Terraform restores the deposed object
		w.setState(one.address+deposed, &instance{})
		w.setState(one.address, one.prior)
		return false
	}
	w.setState(one.address, &instance{
		Instance: made, kind: b.kind, needs: needs, createBeforeDestroy: one.createsFirst, usesSecond: b.usesSecond,
		isTainted: isFailed && one.action != update,
	})
	if !isFailed {
		again.CheckApplied(named, made)
	}
	return !isFailed && len(named.found) == 0
}

// workers is the number of resources that Terraform works on concurrently.
const workers = 10

// walk calls do for each node after all its earlier ones. A node after a failed one fails. Nodes start with random delays, so
// that every order occurs.
func (w *World) walk(nodes []string, wanted map[string][]string, do func(string) bool) {
	after := withoutCycles(nodes, wanted)
	type ended struct {
		done chan struct{}
		ok   bool
	}
	ends := map[string]*ended{}
	for _, node := range nodes {
		ends[node] = &ended{done: make(chan struct{})}
	}
	free := make(chan struct{}, workers)
	var all sync.WaitGroup
	for _, node := range nodes {
		all.Go(func() {
			mine := ends[node]
			defer close(mine.done)
			defer func() {
				if crash := recover(); crash != nil {
					w.report(node, acctest.Diagnostics{{IsError: true, Summary: fmt.Sprint("crash: ", crash)}})
				}
			}()
			for _, earlier := range after[node] {
				if ends[earlier] == nil {
					continue
				}
				<-ends[earlier].done
				if !ends[earlier].ok {
					return
				}
			}
			time.Sleep(time.Duration(w.hash(node)%4) * w.latency)
			free <- struct{}{}
			defer func() { <-free }()
			mine.ok = do(node)
		})
	}
	all.Wait()
}

func (w *World) hash(word string) uint64 {
	sum := fnv.New64a()
	_, _ = fmt.Fprint(sum, w.random, word)
	return sum.Sum64() >> 7
}

// withoutCycles leaves out what would close a cycle.
func withoutCycles(nodes []string, wanted map[string][]string) map[string][]string {
	after := map[string][]string{}
	for _, node := range nodes {
		for _, earlier := range wanted[node] {
			if !slices.Contains(closure([]string{earlier}, after), node) {
				after[node] = append(after[node], earlier)
			}
		}
	}
	return after
}
