package directory

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// claims are the things that belong to a resource of this run. Where the server keeps no names, two resources that say
// the same must not both take one thing for theirs.
type claims struct {
	mu    sync.Mutex
	taken map[claim]bool
	alone map[string]chan struct{} // of capacity one: full while somebody holds the lock
	names map[claimName][]int64
	said  map[claim]string
	aside map[claimName]int64
	held  map[claim]bool
	ends  map[claim]bool
}

// claim is one thing: its kind, as the type of the resource, and its ID.
type claim struct {
	kind string
	id   int64
}

// claimName is a name that is unique among the things of a kind.
type claimName struct{ kind, name string }

// Claim registers that a thing belongs to a resource.
func (d *Directory) Claim(kind string, id int64) {
	d.claims.mu.Lock()
	defer d.claims.mu.Unlock()
	if d.claims.taken == nil {
		d.claims.taken = map[claim]bool{}
	}
	d.claims.taken[claim{kind, id}] = true
}

// IsClaimed reports whether a thing belongs to a resource of this run, as far as it has been read.
func (d *Directory) IsClaimed(kind string, id int64) bool {
	d.claims.mu.Lock()
	defer d.claims.mu.Unlock()
	return d.claims.taken[claim{kind, id}]
}

// TakeOver registers that a resource of this run has begun to hold a thing that was there before. Whoever held it until
// then, and ends in this run, leaves it: so it is when a resource is made anew before the old one goes, or gets another
// address.
func (d *Directory) TakeOver(kind string, id int64) { d.Claim(kind+" taken over", id) }

// IsTakenOver reports whether a resource of this run has begun to hold a thing that was there before.
func (d *Directory) IsTakenOver(kind string, id int64) bool {
	return d.IsClaimed(kind+" taken over", id)
}

// Refused registers that the server does not let the account create anything of a kind.
func (d *Directory) Refused(kind string) { d.Claim(kind+" refused", 0) }

// IsRefused reports whether the server has refused, in this run, to let the account create anything of a kind.
func (d *Directory) IsRefused(kind string) bool { return d.IsClaimed(kind+" refused", 0) }

// LeftState registers that a thing which a state held was archived or deactivated by somebody else, so that the state
// holds it no longer.
func (d *Directory) LeftState(kind string, id int64) { d.Claim(kind+" left the state", id) }

// HasLeftState reports whether a state held a thing until this run read it.
func (d *Directory) HasLeftState(kind string, id int64) bool {
	return d.IsClaimed(kind+" left the state", id)
}

// PlanHeld registers that a resource whose state holds a thing is planned to go on, and reports whether it is the first:
// a run plans each resource once so.
func (d *Directory) PlanHeld(kind string, id int64) bool {
	d.claims.mu.Lock()
	defer d.claims.mu.Unlock()
	if d.claims.held == nil {
		d.claims.held = map[claim]bool{}
	}
	first := !d.claims.held[claim{kind, id}]
	d.claims.held[claim{kind, id}] = true
	return first
}

// PlanEnd registers that a resource of this run gives up its thing.
func (d *Directory) PlanEnd(kind string, id int64) {
	d.claims.mu.Lock()
	defer d.claims.mu.Unlock()
	if d.claims.ends == nil {
		d.claims.ends = map[claim]bool{}
	}
	d.claims.ends[claim{kind, id}] = true
}

// PlanNew registers that a resource of this run makes a new thing of a name.
func (d *Directory) PlanNew(kind, name string) { d.Claim(kind+" new "+name, 0) }

// MadeNew registers that the new thing of a name is about to be made.
func (d *Directory) MadeNew(kind, name string) {
	d.claims.mu.Lock()
	defer d.claims.mu.Unlock()
	delete(d.claims.taken, claim{kind + " new " + name, 0})
}

// IsPlannedNew reports whether a resource of this run makes a new thing of a name.
func (d *Directory) IsPlannedNew(kind, name string) bool { return d.IsClaimed(kind+" new "+name, 0) }

// Ends reports whether a resource of this run gives up a thing.
func (d *Directory) Ends(kind string, id int64) bool {
	d.claims.mu.Lock()
	defer d.claims.mu.Unlock()
	return d.claims.ends[claim{kind, id}]
}

// Declare registers what a resource of this run says about a thing, and reports whether no other says otherwise. The
// same resource says the same however often it is planned.
func (d *Directory) Declare(kind string, id int64, words string) bool {
	d.claims.mu.Lock()
	defer d.claims.mu.Unlock()
	if d.claims.said == nil {
		d.claims.said = map[claim]string{}
	}
	said, ok := d.claims.said[claim{kind, id}]
	if !ok {
		d.claims.said[claim{kind, id}] = words
	}
	return !ok || said == words
}

// Alone waits until nobody else is about to make the same thing, and returns what is to be called when it is made or
// not. It is an error if the context ends first.
func (d *Directory) Alone(ctx context.Context, thing string) (func(), error) {
	d.claims.mu.Lock()
	if d.claims.alone == nil {
		d.claims.alone = map[string]chan struct{}{}
	}
	one := d.claims.alone[thing]
	if one == nil {
		one = make(chan struct{}, 1)
		d.claims.alone[thing] = one
	}
	d.claims.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("nothing was sent: %w", err)
	}
	select {
	case one <- struct{}{}:
		return func() { <-one }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("nothing was sent, for another resource was still at work on the same: %w", ctx.Err())
	}
}

// PlanName registers that a resource of this run gives a name to its thing, and reports whether no other resource of the
// run gives the same name. ids tell resources apart: the thing's ID, and that of a thing that it replaces; none for one
// that is simply made.
func (d *Directory) PlanName(kind, name string, ids ...int64) bool {
	d.claims.mu.Lock()
	defer d.claims.mu.Unlock()
	if d.claims.names == nil {
		d.claims.names = map[claimName][]int64{}
	}
	key := claimName{kind, name}
	holder, held := d.claims.names[key]
	if held && !slices.ContainsFunc(holder, func(id int64) bool { return slices.Contains(ids, id) }) {
		return false
	}
	d.claims.names[key] = ids
	return true
}

// IsPlannedName reports whether a resource of this run gives a name to its thing.
func (d *Directory) IsPlannedName(kind, name string) bool {
	d.claims.mu.Lock()
	defer d.claims.mu.Unlock()
	_, planned := d.claims.names[claimName{kind, name}]
	return planned
}

// PutAside registers a thing that keeps a name, and is for whoever in this run makes one of that name: it was retired by
// this run, or is the result of an apply that was broken off.
func (d *Directory) PutAside(kind, name string, id int64) {
	d.claims.mu.Lock()
	defer d.claims.mu.Unlock()
	if d.claims.aside == nil {
		d.claims.aside = map[claimName]int64{}
	}
	d.claims.aside[claimName{kind, name}] = id
}

// TakeAside returns, once, the thing of that name that was put aside.
func (d *Directory) TakeAside(kind, name string) (int64, bool) {
	d.claims.mu.Lock()
	defer d.claims.mu.Unlock()
	id, ok := d.claims.aside[claimName{kind, name}]
	delete(d.claims.aside, claimName{kind, name})
	return id, ok
}
