package resourcekit

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Create creates the object, or takes what the plan said that it adopts.
func (r *Resource[M, T, K]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	w := written[M, T, K]{words: &plan, planned: req.Plan.Raw, prior: tftypes.NewValue(req.Plan.Raw.Type(), nil)}
	if !r.create(ctx, &w, &resp.Diagnostics) {
		return
	}
	var known *K // null if it could not be read
	if ObjectID(w.id) != 0 {
		known = &w.id
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idAttribute), known)...)
	r.storeWritten(ctx, w, &resp.State, &resp.Diagnostics)
}

// create sets the ID of the object: of one that was released for this resource, of one that is reactivated, or of a new one.
func (r *Resource[M, T, K]) create(ctx context.Context, w *written[M, T, K], diags *diag.Diagnostics) (ok bool) {
	name := r.fold(r.name(w.words))
	if number, released := r.Meta.Run.Take(r.kind(), name); released {
		return r.takeReleased(ctx, w, number, diags)
	}
	subject := r.called(r.name(w.words), w.id)
	if r.def.Adopt != nil {
		id, found, err := r.def.Adopt(ctx, r.context(nil), w.words)
		if err != nil {
			r.report(diags, "Cannot create "+subject, err)
			return false
		}
		if found {
			w.id = id
			return true
		}
	}
	if name == "" {
		name = w.planned.String() // whoever creates the same waits
	}
	attempt := creation[M, T, K]{Resource: r, w: w}
	_, err := Creation{Kind: r.kind(), Thing: name, Look: attempt.look, Make: attempt.send}.Run(ctx, r.Meta)
	switch {
	case err == nil:
		w.isNew = true
		return true
	case r.def.IsCreated != nil && (attempt.isAnswered || zulip.MayHaveHappened(err)):
		w.id = *new(K)
		diags.AddError(fmt.Sprintf("It is not known whether %s was created", subject), r.Explain(err)+"\n\nThe next plan finds out by its "+r.def.Unique.word()+".")
		return true
	case r.def.Unique.IsTaken != nil && r.def.Unique.IsTaken(err) && r.refuseTaken(ctx, w, diags):
	default:
		r.report(diags, "Cannot create "+subject, err)
	}
	return false
}

// creation is the creation of one object.
type creation[M, T any, K Key] struct {
	*Resource[M, T, K]
	w *written[M, T, K]
	// before are the objects that might be taken for the new one, and were there before it. nil: not looked yet.
	before     map[int64]bool
	isAnswered bool // the server has created it
}

// look is the Look of a [Creation]: it finds an object that may be the new one. What is there before is in
// the snapshot; after that it reads anew.
func (c *creation[M, T, K]) look(ctx context.Context, free func(int64) bool) (int64, error) {
	find := func(view *listing[T]) *T {
		for _, object := range c.candidates(view, c.w.words) {
			if (c.def.MayBeCreated != nil || c.isAsPlanned(ctx, c.w.words, c.w.planned, object, view)) && free(ObjectID(c.def.Key(object))) {
				return object
			}
		}
		return nil
	}
	if c.before == nil {
		view, err := c.known(ctx, anything)
		if err != nil {
			return 0, err
		}
		c.before = map[int64]bool{}
		for _, object := range c.candidates(view, c.w.words) {
			c.before[ObjectID(c.def.Key(object))] = true
		}
		find(view) // free notes what was there before
		return 0, nil
	}
	view, err := c.readFresh(ctx, func(view *listing[T]) bool { return find(view) != nil })
	if err != nil {
		return 0, err
	}
	object := find(view)
	if object == nil {
		return 0, nil
	}
	return c.found(object, view), nil
}

func (c *creation[M, T, K]) found(object *T, view *listing[T]) int64 {
	c.w.id, c.w.object, c.w.view = c.def.Key(object), object, view
	return ObjectID(c.w.id)
}

// send is the Make of a [Creation].
func (c *creation[M, T, K]) send(ctx context.Context) (int64, error) {
	err := c.write(ctx, func(ctx context.Context) (err error) {
		c.w.id, err = c.def.Create(ctx, c.context(nil), c.w.words)
		return err
	})
	if err != nil || c.def.IsCreated == nil {
		return ObjectID(c.w.id), err
	}
	c.isAnswered = true
	find := func(view *listing[T]) *T {
		return c.created(view, c.w.words, func(id int64) bool { // a list still shows what was deleted
			return !c.before[id] && !c.Meta.Run.IsManaged(c.kind(), id)
		})
	}
	view, err := c.readFresh(ctx, func(view *listing[T]) bool { return find(view) != nil })
	if err != nil {
		return 0, err
	}
	object := find(view)
	if object == nil {
		return 0, fmt.Errorf("the server accepted the request and does not list the %s: somebody may have deleted it at once", c.def.Title)
	}
	return c.found(object, view), nil
}

// candidates are the objects that may be what a plan creates.
func (r *Resource[M, T, K]) candidates(view *listing[T], plan *M) []*T {
	switch {
	case r.def.MayBeCreated != nil:
		c, all := r.context(view), slices.Clone(r.all(view))
		return slices.DeleteFunc(all, func(object *T) bool { return !r.def.MayBeCreated(plan, object, c) })
	case r.def.Unique.Of == nil:
		return r.all(view)
	}
	if object, ok := r.withName(view, plan); ok {
		return []*T{object}
	}
	return nil
}

// isAsPlanned reports whether an object has every value that is planned.
func (r *Resource[M, T, K]) isAsPlanned(ctx context.Context, plan *M, planned tftypes.Value, object *T, view *listing[T]) bool {
	m := *plan
	r.def.ReadInto(&m, object, r.context(view))
	current, diags := valueOf(ctx, r.schema(), &m)
	return !diags.HasError() && agrees(planned, current, append([]string{idAttribute}, r.def.Unsent...)...)
}

// takeReleased sets the ID of the object that the plan released for this resource.
func (r *Resource[M, T, K]) takeReleased(ctx context.Context, w *written[M, T, K], number int64, diags *diag.Diagnostics) (ok bool) {
	if id, isNumber := any(number).(K); isNumber {
		w.id = id
		return true
	}
	view, ok := r.read(ctx, diags, anything)
	if !ok {
		return false
	}
	object, ok := r.withName(view, w.words)
	if !ok {
		diags.AddError("Cannot adopt "+r.called(r.name(w.words), w.id), "It was deleted since the plan was made. Plan again.")
		return false
	}
	w.id = r.def.Key(object)
	return true
}

// refuseTaken reports which object has the name that the server says is taken. It returns false if there is none to be seen.
func (r *Resource[M, T, K]) refuseTaken(ctx context.Context, w *written[M, T, K], diags *diag.Diagnostics) bool {
	view, err := r.readFresh(ctx, func(view *listing[T]) bool { _, ok := r.withName(view, w.words); return ok })
	if err != nil {
		return false
	}
	object, ok := r.withName(view, w.words)
	if !ok {
		return false
	}
	r.existing(ctx, w.words, w.planned, object, view).Refuse(r.Meta, diags)
	return true
}
