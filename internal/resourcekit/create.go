package resourcekit

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Create creates the object, or takes what the plan said that it adopts.
func (r *Resource[M, T, K]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id, ok := r.create(ctx, &plan, req.Plan.Raw, &resp.Diagnostics)
	if !ok {
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idAttribute), id)...)
	w := written[M, K]{id: id, words: &plan, planned: req.Plan.Raw, prior: tftypes.NewValue(req.Plan.Raw.Type(), nil)}
	r.storeWritten(ctx, w, &resp.State, &resp.Diagnostics)
}

// create returns the ID of the object: of one that was released for this resource, of one that is reactivated, or of a new
// one.
func (r *Resource[M, T, K]) create(ctx context.Context, plan *M, planned tftypes.Value, diags *diag.Diagnostics) (id K, ok bool) {
	name := r.fold(r.name(plan))
	if number, released := r.Meta.Run.Take(r.kind(), name); released {
		return r.released(ctx, plan, number, diags)
	}
	summary := "Cannot create " + r.called(r.name(plan), id)
	if r.def.Adopt != nil {
		adopted, found, err := r.def.Adopt(ctx, r.context(nil), plan)
		if err != nil {
			diags.AddError(summary, r.explain(err))
			return id, false
		}
		if found {
			return adopted, true
		}
	}
	if name == "" {
		name = planned.String() // whoever creates the same waits
	}
	attempt := creation[M, T, K]{Resource: r, plan: plan, planned: planned}
	_, err := framework.Creation{Kind: r.kind(), Thing: name, Look: attempt.look, Make: attempt.send}.Run(ctx, r.Meta)
	switch {
	case err == nil:
		return attempt.id, true
	case r.def.Source.HidesID && (attempt.isAnswered || zulip.MayHaveHappened(err)):
		diags.AddError(fmt.Sprintf("It is not known whether %s was created", r.called(r.name(plan), id)), r.explain(err)+"\n\nThe next plan finds out by its "+r.def.Unique.word()+".")
		return id, true
	case r.def.Unique.IsTaken != nil && r.def.Unique.IsTaken(err) && r.refuseTaken(ctx, plan, planned, diags):
	default:
		diags.AddError(summary, r.explain(err))
	}
	return id, false
}

// creation is the creation of one object.
type creation[M, T any, K Key] struct {
	*Resource[M, T, K]
	plan    *M
	planned tftypes.Value
	id      K
	// before are the objects that might be taken for the new one, and were there before it. nil: not looked yet.
	before     map[int64]bool
	isAnswered bool // the server has created it
}

// look is the Look of a [framework.Creation]: it finds an object that has every planned value. What is there before is in
// the snapshot; after that it reads anew.
func (c *creation[M, T, K]) look(ctx context.Context, free func(int64) bool) (int64, error) {
	find := func(view *directory.View) *T {
		for _, object := range c.candidates(view, c.plan) {
			if c.isAsPlanned(ctx, c.plan, c.planned, object, view) && free(ObjectID(c.def.Key(object))) {
				return object
			}
		}
		return nil
	}
	if c.before == nil {
		view, err := c.snapshot(ctx, anything)
		if err != nil {
			return 0, err
		}
		c.before = map[int64]bool{}
		for _, object := range c.candidates(view, c.plan) {
			c.before[ObjectID(c.def.Key(object))] = true
		}
		find(view)
		return 0, nil
	}
	view, err := c.readFresh(ctx, func(view *directory.View) bool { return find(view) != nil })
	if err != nil {
		return 0, err
	}
	object := find(view)
	if object == nil {
		return 0, nil
	}
	c.id = c.def.Key(object)
	return ObjectID(c.id), nil
}

// send is the Make of a [framework.Creation].
func (c *creation[M, T, K]) send(ctx context.Context) (int64, error) {
	err := c.write(ctx, func(ctx context.Context) (err error) {
		c.id, err = c.def.Create(ctx, c.context(nil), c.plan)
		return err
	})
	if err != nil || !c.def.Source.HidesID {
		return ObjectID(c.id), err
	}
	c.isAnswered = true
	find := func(view *directory.View) (*T, bool) {
		object, ok := c.def.Unique.Find(view, c.plan)
		if !ok || c.before[ObjectID(c.def.Key(object))] || c.Meta.Run.IsManaged(c.kind(), ObjectID(c.def.Key(object))) {
			return nil, false // a list still shows what was deleted
		}
		return object, true
	}
	view, err := c.readFresh(ctx, func(view *directory.View) bool { _, ok := find(view); return ok })
	if err != nil {
		return 0, err
	}
	object, ok := find(view)
	if !ok {
		return 0, fmt.Errorf("the server accepted the request and does not list the %s: somebody may have deleted it at once", c.def.Title)
	}
	c.id = c.def.Key(object)
	return ObjectID(c.id), nil
}

// candidates are the objects that may be what a plan creates.
func (r *Resource[M, T, K]) candidates(view *directory.View, plan *M) []*T {
	if r.def.Unique.Find == nil {
		return r.def.All(view)
	}
	if object, ok := r.def.Unique.Find(view, plan); ok {
		return []*T{object}
	}
	return nil
}

// isAsPlanned reports whether an object has every value that is planned.
func (r *Resource[M, T, K]) isAsPlanned(ctx context.Context, plan *M, planned tftypes.Value, object *T, view *directory.View) bool {
	m := *plan
	r.def.ReadInto(&m, object, r.context(view))
	current, diags := valueOf(ctx, r.def.Schema, &m)
	return !diags.HasError() && agrees(planned, current, append([]string{idAttribute}, r.def.Unsent...)...)
}

// released returns the ID of the object that the plan released for this resource.
func (r *Resource[M, T, K]) released(ctx context.Context, plan *M, number int64, diags *diag.Diagnostics) (id K, ok bool) {
	if number, isNumber := any(number).(K); isNumber {
		return number, true
	}
	view, ok := r.read(ctx, diags, anything)
	if !ok {
		return id, false
	}
	object, ok := r.def.Unique.Find(view, plan)
	if !ok {
		diags.AddError("Cannot adopt "+r.called(r.name(plan), id), "It was deleted since the plan was made. Plan again.")
		return id, false
	}
	return r.def.Key(object), true
}

// refuseTaken reports which object has the name that the server says is taken. It returns false if there is none to be seen.
func (r *Resource[M, T, K]) refuseTaken(ctx context.Context, plan *M, planned tftypes.Value, diags *diag.Diagnostics) bool {
	view, err := r.readFresh(ctx, func(view *directory.View) bool { _, ok := r.def.Unique.Find(view, plan); return ok })
	if err != nil {
		return false
	}
	object, ok := r.def.Unique.Find(view, plan)
	if !ok {
		return false
	}
	r.existing(ctx, plan, planned, object, view).Refuse(r.Meta, diags)
	return true
}

// written is an object that was just created or updated.
type written[M any, K Key] struct {
	id             K
	words          *M // the model whose words are kept where they mean the same
	planned, prior tftypes.Value
}

// storeWritten sets the state to the plan at once, before anything can fail, and then to what the server has.
func (r *Resource[M, T, K]) storeWritten(ctx context.Context, w written[M, K], state *tfsdk.State, diags *diag.Diagnostics) {
	raw, err := withoutUnknown(w.planned)
	if err != nil {
		diags.AddError("Cannot write the state of "+r.called("", w.id), framework.Sentence(err))
		return
	}
	state.Raw = raw
	sent, problems := valueOf(ctx, r.def.Schema, w.words) // with what Create has filled in
	isKnown := r.def.Source.StoresAsSent && !problems.HasError() && isFilledIn(sent)
	if isKnown {
		state.Raw = sent
	}
	if ObjectID(w.id) == 0 {
		return // it is not known whether it was created
	}
	r.Meta.Run.Manage(r.kind(), ObjectID(w.id))
	diags.Append(state.SetAttribute(ctx, path.Root(idAttribute), w.id)...)
	if !isKnown {
		r.readBack(ctx, w, state, diags)
	}
}

// readBack sets the state to what the server has after a write.
func (r *Resource[M, T, K]) readBack(ctx context.Context, w written[M, K], state *tfsdk.State, diags *diag.Diagnostics) {
	view, err := r.readFresh(ctx, func(view *directory.View) bool {
		object, ok := r.def.Get(view, w.id)
		return ok && r.isAsPlanned(ctx, w.words, w.planned, object, view)
	})
	subject := r.called(r.name(w.words), w.id)
	if err != nil {
		diags.AddError("Cannot read "+subject+" after it was written", framework.Explain(err)+"\n\nIt is in the state. The next apply goes on from there.")
		return
	}
	object, ok := r.def.Get(view, w.id)
	if !ok {
		r.reportUnlisted(ctx, subject, diags)
		return
	}
	m := *w.words
	r.def.ReadInto(&m, object, r.context(view))
	current, problems := valueOf(ctx, r.def.Schema, &m)
	diags.Append(problems...)
	stored, conflicts, err := afterWrite(w.planned, w.prior, current)
	if err != nil {
		diags.AddError("Cannot write the state of "+subject, framework.Sentence(err))
		return
	}
	state.Raw = stored
	if len(conflicts) > 0 {
		diags.AddError(fmt.Sprintf("Conflict on %s", subject),
			fmt.Sprintf("The server accepted the request, but has other values of %s than planned: somebody else changed them at the same time, or the server is too old for them. "+
				"The state shows the current values. Plan again.", strings.Join(conflicts, ", ")))
	}
}
