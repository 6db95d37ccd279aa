package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Update sends the differences between the prior and the planned values, unless there is a conflict.
func (r *Resource[Model, Object, Patch]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state Model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) || !r.readNamedPeople(ctx, &resp.Diagnostics, &plan, &state) {
		return
	}
	id, c := r.id(&state), r.call(nil)
	c.Diags = &resp.Diagnostics
	r.Meta.Run.Note(runstate.Managed, runstate.ID(r.kind(), id))
	r.setIdentity(ctx, &state, resp.Identity, &resp.Diagnostics)
	if err := r.readNeeds(ctx, c); err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	private := attribute.ReadPrivateState(ctx, req.Private, &resp.Diagnostics)
	c.own = private.Emails
	prior := r.attributes.priorState(&state, private, nil, c, &resp.Diagnostics)
	steps, problems := r.attributes.steps(prior, &plan, c)
	attribute.ReportProblems(&resp.Diagnostics, problems)
	if resp.Diagnostics.HasError() {
		return
	}
	if len(steps) == 0 { // only attributes that the server does not have differ
		r.attributes.forgetUnknown(&plan)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		return
	}
	change := &applying[Model, Object, Patch]{Resource: r, id: id, before: prior.Values, planned: &plan, c: c}
	now := change.subject(steps).Change(ctx, &r.Base, steps, nil, &resp.Diagnostics)
	switch {
	case now == nil && resp.Diagnostics.HasError(): // the state is unchanged
	case now == nil:
		r.attributes.forgetUnknown(&plan)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	case resp.Diagnostics.HasError(): // a refused value keeps the form that it had in the state
		r.saveState(ctx, &state, now.Thing, nil, c, &resp.State, resp.Private, &resp.Diagnostics)
	default:
		planned := plan
		r.saveState(ctx, &plan, now.Thing, &planned, c, &resp.State, resp.Private, &resp.Diagnostics)
	}
}

// RereadObject returns the current object, read together with the readings of other resources.
func (r *Resource[Model, Object, Patch]) RereadObject(ctx context.Context, id int64) (*change.Reading[*Object], error) {
	return r.rereadObject(ctx, id, r.call(nil), anyObject, func(*Object) bool { return false })
}

// anyObject is true for every object.
func anyObject[Object any](*Object) bool { return true }

// rereadObject is RereadObject; c gets the organization that it was read with. A list that lags is read until shows is true for the
// object. An archived or deactivated object is an error, unless accepts is true for it.
func (r *Resource[Model, Object, Patch]) rereadObject(ctx context.Context, id int64, c *Call, shows, accepts func(*Object) bool) (*change.Reading[*Object], error) {
	view, err := r.reread(ctx, func(view *listing[Object]) bool {
		object, ok := r.get(view, id)
		c.Snapshot = view.Snapshot
		return ok && shows(object)
	})
	if err != nil {
		return nil, err
	}
	c.Snapshot = view.Snapshot
	object, ok := r.get(view, id)
	if r.def.One != nil && (!ok || !shows(object)) {
		if view, err = r.rereadOne(ctx, id, view); err != nil {
			return nil, err
		}
		c.Snapshot = view.Snapshot
		object, ok = r.get(view, id)
	}
	switch {
	case !ok:
		return nil, &unseenError{fmt.Sprintf("the provider's account no longer sees %s. Plan again to see what happened", r.called("", id))}
	case r.isGone(object) && !accepts(object):
		return nil, &unseenError{fmt.Sprintf("someone else has archived or deactivated %s since then", r.called("", id))}
	}
	return &change.Reading[*Object]{Thing: object, View: view.Snapshot}, nil
}

// unseenError is the error that an object does not exist, or is not active.
type unseenError struct{ text string }

// Error returns the result of the change.
func (e *unseenError) Error() string { return e.text }

// Change makes steps on an object: see [change.Subject.Change]. now is the object as just read, or nil. protect is nil for
// the checks of the definition.
func (r *Resource[Model, Object, Patch]) Change(ctx context.Context, id int64, steps []change.Step[*Object, Patch], now *change.Reading[*Object],
	protect Protect[Object, Patch], diags *diag.Diagnostics,
) *change.Reading[*Object] {
	change := &applying[Model, Object, Patch]{Resource: r, id: id, c: r.call(nil)}
	if now != nil {
		change.c.Snapshot, change.isReactivated = now.View, r.isGone(now.Thing)
	}
	subject := change.subject(steps)
	if protect != nil {
		subject.Protect = protect
	}
	return subject.Change(ctx, &r.Base, steps, now, diags)
}

// applying is the change of one object, by an update or after a creation.
type applying[Model, Object, Patch any] struct {
	*Resource[Model, Object, Patch]
	id int64
	// before has the prior values, and planned the planned ones. They are nil for a change without a plan.
	before, planned *Model
	// c always has the organization that the object was last read with.
	c *Call
	// isReactivated is true if the object was archived or deactivated, and the steps reactivate it.
	isReactivated bool
	// readsOne is true if the steps change an attribute for which a list is not enough: see [Source].
	readsOne bool
}

// subject describes the change for [change.Subject.Change].
func (o *applying[Model, Object, Patch]) subject(steps []change.Step[*Object, Patch]) change.Subject[*Object, Patch] {
	o.readsOne = slices.ContainsFunc(steps, func(step change.Step[*Object, Patch]) bool {
		return slices.Contains(o.def.OneFor, step.Attribute)
	})
	return change.Subject[*Object, Patch]{
		Of: o.kind(), NameBefore: o.called(o.nameBefore(o.before), o.id), StoresAsSent: o.def.Source.StoresAsSent, Part: o.cachedList(),
		Name: o.title, Read: o.read, Protect: o.def.Protect, Send: o.send, IsBlocked: o.isTaken, Explain: o.explain, At: o.at,
	}
}

// title returns the object's name in messages.
func (o *applying[Model, Object, Patch]) title(object *Object) string {
	return o.called(o.nameOf(object, cmp.Or(o.before, o.planned), o.c), o.id)
}

// read reads the current object.
func (o *applying[Model, Object, Patch]) read(ctx context.Context, shows func(*Object) bool) (*change.Reading[*Object], error) {
	if o.readsOne {
		shows = func(*Object) bool { return false }
	}
	return o.rereadObject(ctx, o.id, o.c, shows, func(object *Object) bool {
		return o.isReactivated || o.keepsGone(o.before, object) || o.keepsGone(o.planned, object)
	})
}

// send sends the pending changes: with SendUpdate, or as the current model with the pending planned values.
func (o *applying[Model, Object, Patch]) send(ctx context.Context, p change.Pending[*Object, Patch]) (ignored []string, err error) {
	if o.def.SendUpdate != nil {
		ignored, err = o.def.SendUpdate(ctx, &o.Base, o.id, p)
	} else {
		current := *o.planned
		o.def.ReadInto(&current, p.Now, o.c)
		o.keepHidden(&current)
		planned := current
		if update, ok := any(&planned).(*Patch); ok {
			p.Into(update)
		}
		err = o.def.Update(ctx, o.c, &planned, &current)
	}
	o.c.isSent = err == nil
	if o.before != nil && o.planned != nil && (err == nil || zulip.MayHaveHappened(err)) && o.name(o.before) != o.name(o.planned) {
		o.Meta.Run.Effects.Rename(o.kind(), o.name(o.before), o.name(o.planned))
	}
	o.wrote(err)
	return ignored, err
}

// keepHidden keeps the prior values of attributes that the server does not show.
func (o *applying[Model, Object, Patch]) keepHidden(current *Model) {
	if o.before == nil || o.def.IsHidden == nil {
		return
	}
	for _, name := range fieldsOf(current).names() {
		if o.def.IsHidden(name, o.before, o.c) {
			fieldsOf(current).set(name, fieldsOf(o.before).get(name))
		}
	}
}

// isTaken reports whether the server refused the change because another object has the name.
func (o *applying[Model, Object, Patch]) isTaken(err error) bool {
	return o.planned != nil && o.def.Unique.IsTaken != nil && o.def.Unique.IsTaken(err)
}

// at returns the attribute of an error.
func (o *applying[Model, Object, Patch]) at(err error) path.Path {
	if o.isTaken(err) {
		return o.existingAt(o.planned)
	}
	return path.Empty()
}

// explain is [Resource.Explain] that also names the object with a taken name.
func (o *applying[Model, Object, Patch]) explain(err error) string {
	if o.isTaken(err) && o.c.Snapshot != nil && !o.def.IsCheckedByPlan {
		if holder, ok := o.withName(&listing[Object]{Snapshot: o.c.Snapshot}, o.planned); ok {
			return fmt.Sprintf("%s (ID %s) has the %s now. If another resource of this configuration gives it up, add depends_on to this resource, or apply twice. To swap two, first give one of them another %s.",
				base.Capitalize(o.called(o.def.Index(o.c.Snapshot).Name(holder), o.def.Key(holder))), textOf(o.idOf(holder)), o.def.Unique.word(), o.def.Unique.word())
		}
	}
	return o.Explain(err)
}

// nameOf returns the object's name in messages, from the state or from the server.
func (r *Resource[Model, Object, Patch]) nameOf(object *Object, before *Model, c *Call) string {
	if r.def.Table == nil {
		return r.nameBefore(before)
	}
	if r.def.Index == nil || c.Snapshot == nil {
		return ""
	}
	return r.def.Index(c.Snapshot).Name(object)
}

func (r *Resource[Model, Object, Patch]) nameBefore(before *Model) string {
	if before == nil || r.def.Table != nil {
		return ""
	}
	return r.name(before)
}

// Delete deletes, archives or deactivates the object, unless it must be kept or another resource of this run has
// adopted it.
func (r *Resource[Model, Object, Patch]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state Model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := r.id(&state)
	called := r.called(r.name(&state), id)
	summary := "Cannot " + cmp.Or(r.def.DeleteVerb, "delete") + " " + called
	if r.def.IsKept != nil && r.def.IsKept(&state) {
		tflog.Info(ctx, "Kept, and not managed any more", map[string]any{"object": called})
		r.release(id, &state)
		return
	}
	if r.def.IsCreated != nil {
		var ok bool
		if id, ok = r.findState(ctx, id, &state, summary, &resp.Diagnostics); !ok {
			return
		}
	}
	// Another resource of this run may create an object with the same name, or have adopted this object.
	same := cmp.Or(r.fold(r.name(&state)), fmt.Sprint(id))
	unlock, ok := r.LockOrReport(ctx, r.kind()+" "+same, summary, &resp.Diagnostics)
	if !ok {
		return
	}
	defer unlock()
	if r.Meta.Run.Knows(runstate.Adopted, runstate.ID(r.kind(), id)) {
		tflog.Info(ctx, "Not deleted: another resource has adopted it", map[string]any{"object": called})
		return
	}
	r.Meta.Run.Note(runstate.Managed, runstate.ID(r.kind(), id)) // no other resource adopts it, although a list still shows it
	err := r.deleteUnused(ctx, id, &state, req.Private)
	if !r.def.Source.Lags && !r.def.Archives {
		r.invalidate()
	}
	if err != nil {
		r.report(&resp.Diagnostics, summary, err)
		return
	}
	if r.def.Archives {
		// Its name counts as taken, but not for its replacement, which is planned again during apply.
		r.Meta.Run.Note(runstate.Gone, runstate.ID(r.kind(), id))
		r.release(id, &state)
	}
}

// release releases this object for a new resource of the same name in this run, which adopts it.
func (r *Resource[Model, Object, Patch]) release(id int64, state *Model) {
	if name := r.name(state); name != "" && id != 0 {
		r.Meta.Run.Note(runstate.Managed, runstate.ID(r.kind(), id))
		r.Meta.Run.Release(r.kind(), name, id)
	}
}

// InUseError is the error of Delete if the server refuses because the object is still in use.
type InUseError struct{ Err error }

// Error names the objects that use it.
func (e *InUseError) Error() string { return e.Err.Error() }

// Unwrap returns the error to report.
func (e *InUseError) Unwrap() error { return e.Err }

// deleteUnused deletes the object. It repeats the request if the server refuses it because the object is in use: see
// [change.FreeWait]. Resources that reference the object are changed after it, so no repetition helps with them.
func (r *Resource[Model, Object, Patch]) deleteUnused(ctx context.Context, id int64, state *Model, private base.PrivateGetter) error {
	for inUse := change.NewFreeWait(); ; {
		err := r.delete(ctx, id, state, private)
		if !errors.As(err, new(*InUseError)) || !inUse.Next(ctx) {
			return err
		}
	}
}

// delete sends the request. If an object is archived, a second request shows whether the first was executed.
func (r *Resource[Model, Object, Patch]) delete(ctx context.Context, id int64, state *Model, private base.PrivateGetter) error {
	if r.def.ReadsToDelete {
		return r.readAndDelete(ctx, id, state)
	}
	pause, c := zulip.FirstPause, r.call(nil)
	c.Private = private
	for attempt := 0; ; attempt++ {
		err := r.sendDelete(ctx, c, state)
		if !r.def.Archives || !zulip.MayHaveHappened(err) || attempt == r.Meta.Client.MaxRetries() || zulip.Sleep(ctx, pause) != nil {
			return err
		}
		pause *= 2
	}
}

// sendDelete sends the request that deletes the object. Delete may read, and a read waits for writes under way.
func (r *Resource[Model, Object, Patch]) sendDelete(ctx context.Context, c *Call, state *Model) error {
	if list := r.cachedList(); list != "" {
		done, err := r.Meta.Store.BeginWrite(ctx, list)
		if err != nil {
			return err
		}
		defer done()
	}
	err := r.def.Delete(ctx, c, state)
	r.wrote(err)
	return err
}

// readAndDelete sends the request once for each reading, and only while the object exists. It reads before the write
// begins, because a read waits for writes under way.
func (r *Resource[Model, Object, Patch]) readAndDelete(ctx context.Context, id int64, state *Model) error {
	isThere := func(view *listing[Object]) bool { return r.active(view, id, state) != nil }
	isDeleted := func(view *listing[Object]) bool { return !isThere(view) }
	shows := isThere
	for retries := r.Meta.Client.NewRetries(); ; shows = isDeleted {
		view, err := r.reread(ctx, shows)
		if err != nil {
			return fmt.Errorf("the %s could not be read before the request: %w", r.def.Plural, err)
		}
		if isDeleted(view) {
			return nil
		}
		if err = r.sendDelete(zulip.SendOnce(ctx), r.call(view), state); err == nil {
			return nil
		}
		if err := retries.Wait(ctx, err); err != nil {
			return err
		}
	}
}

// findState returns the ID of a state's object, and updates the state. ok is false if the object does not exist. If the
// server would not show it to the account, that is an error with this summary.
func (r *Resource[Model, Object, Patch]) findState(ctx context.Context, id int64, state *Model, summary string, diags *diag.Diagnostics) (found int64, ok bool) {
	view, err := r.cached(ctx, func(view *listing[Object]) bool { return r.active(view, id, state) != nil })
	if err != nil {
		diags.AddError("Cannot read the "+r.def.Plural, r.Explain(err))
		return id, false
	}
	object := r.active(view, id, state)
	if object == nil && !r.wouldSee(state) {
		base.RefuseUnseenDestroy(summary, diags)
		return id, false
	}
	if object == nil {
		tflog.Info(ctx, "Deleted already", map[string]any{"object": r.called(r.name(state), id)})
		return id, false
	}
	r.def.ReadInto(state, object, r.call(view))
	return r.def.Key(object), true
}
