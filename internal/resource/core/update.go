package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Update sends what differs between the prior and the planned values, unless somebody else has changed it since.
func (r *Resource[Model, Object, Update]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state Model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) || !r.readNamed(ctx, &resp.Diagnostics, &plan, &state) {
		return
	}
	id, c := r.id(&state), r.context(nil)
	c.Diags = &resp.Diagnostics
	r.Meta.Run.Manage(r.kind(), id)
	r.setIdentity(ctx, &state, resp.Identity, &resp.Diagnostics)
	if err := r.readNeeds(ctx, c); err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	prior := r.attributes.priorState(&state, attribute.ReadBeside(ctx, req.Private, &resp.Diagnostics), nil, c, &resp.Diagnostics)
	before := *prior.Values
	prior.Values = &before
	if r.def.AdjustPrior != nil {
		r.def.AdjustPrior(c, &before)
	}
	steps, problems := r.attributes.steps(prior, &plan, c)
	attribute.ReportProblems(&resp.Diagnostics, problems)
	if resp.Diagnostics.HasError() {
		return
	}
	if len(steps) == 0 { // only what the server does not have differs
		r.attributes.forgetUnknown(&plan)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		return
	}
	now := r.changeUntaken(ctx, id, &before, &plan, c, steps, &resp.Diagnostics)
	switch {
	case now == nil && resp.Diagnostics.HasError(): // the state stays as it was
	case now == nil:
		r.attributes.forgetUnknown(&plan)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	case resp.Diagnostics.HasError(): // what was refused keeps the form that it had in the state
		r.store(ctx, &state, now.Thing, nil, c, &resp.State, resp.Private, &resp.Diagnostics)
	default:
		planned := plan
		r.store(ctx, &plan, now.Thing, &planned, c, &resp.State, resp.Private, &resp.Diagnostics)
	}
}

// Fresh returns an object as it is now, read together with all that others want to read now.
func (r *Resource[Model, Object, Update]) Fresh(ctx context.Context, id int64) (*attribute.Reading[*Object], error) {
	return r.fresh(ctx, id, r.context(nil), anyObject, func(*Object) bool { return false })
}

// anyObject is true of every object.
func anyObject[Object any](*Object) bool { return true }

// fresh is Fresh; c gets the organization that it was read with. A list that lags is read until shows is true of the object. One
// that is gone is an error, unless accepts is true of it.
func (r *Resource[Model, Object, Update]) fresh(ctx context.Context, id int64, c *Context, shows, accepts func(*Object) bool) (*attribute.Reading[*Object], error) {
	view, err := r.readFresh(ctx, func(view *listing[Object]) bool {
		object, ok := r.get(view, id)
		c.Snapshot = view.Snapshot
		return ok && shows(object)
	})
	if err != nil {
		return nil, err
	}
	c.Snapshot = view.Snapshot
	object, ok := r.get(view, id)
	if r.def.Source.One != nil && (!ok || !shows(object)) {
		if view, err = r.readOne(ctx, id, view); err != nil {
			return nil, err
		}
		c.Snapshot = view.Snapshot
		object, ok = r.get(view, id)
	}
	switch {
	case !ok:
		return nil, &unseenError{fmt.Sprintf("the provider's account does not see %s any more. Plan again to see what became of it", r.called("", id))}
	case r.isGone(object) && !accepts(object):
		return nil, &unseenError{fmt.Sprintf("somebody else has archived or deactivated %s meanwhile", r.called("", id))}
	}
	return &attribute.Reading[*Object]{Thing: object, View: view.Snapshot}, nil
}

// unseenError says that an object is not there, or not active.
type unseenError struct{ text string }

// Error says what became of it.
func (e *unseenError) Error() string { return e.text }

// Change carries out steps on an object: see [attribute.Subject.Change]. now is the object as it was just read, or nil.
func (r *Resource[Model, Object, Update]) Change(ctx context.Context, id int64, steps []attribute.Step[*Object, Update], now *attribute.Reading[*Object], diags *diag.Diagnostics) *attribute.Reading[*Object] {
	return r.change(ctx, id, nil, nil, r.context(nil), steps, now, diags)
}

// changeUntaken is change. It repeats a change that the server refuses because another object has the name, see [untilFree]. Each
// attempt reads the object and compares it again.
func (r *Resource[Model, Object, Update]) changeUntaken(ctx context.Context, id int64, before, planned *Model, c *Context, steps []attribute.Step[*Object, Update], diags *diag.Diagnostics) (now *attribute.Reading[*Object]) {
	var attempt diag.Diagnostics
	untilFree(ctx, func() (isBlocked bool) {
		attempt, c.isTaken = nil, false
		now = r.change(ctx, id, before, planned, c, steps, nil, &attempt)
		return c.isTaken
	})
	diags.Append(attempt...)
	return now
}

const (
	// freeTime is how long a change is repeated that the server refuses because a name is taken or an object is in use.
	freeTime = 8 * time.Second
	// firstFreePause is the pause after the first refusal. Each further pause is twice as long, up to longestFreePause.
	firstFreePause   = 100 * time.Millisecond
	longestFreePause = time.Second
)

// untilFree calls try until it is not blocked any more, at most for freeTime. Another resource of the same apply may free what
// blocks it: Terraform changes resources without a reference between them in any order, several at a time.
func untilFree(ctx context.Context, try func() (isBlocked bool)) {
	end := time.Now().Add(freeTime)
	for pause := firstFreePause; try() && !zulip.IsInterrupted(ctx) && time.Now().Add(pause).Before(end) && zulip.Sleep(ctx, pause) == nil; {
		pause = min(2*pause, longestFreePause)
	}
}

// change is Change of an object that is to become what is planned. c always has the organization that the object was last read
// with.
func (r *Resource[Model, Object, Update]) change(ctx context.Context, id int64, before, planned *Model, c *Context, steps []attribute.Step[*Object, Update],
	now *attribute.Reading[*Object], diags *diag.Diagnostics,
) *attribute.Reading[*Object] {
	isGone := now != nil && r.isGone(now.Thing) // then the steps reactivate it
	if now != nil {
		c.Snapshot = now.View
	}
	subject := attribute.Subject[*Object, Update]{
		Of: r.kind(), Unread: r.called(r.nameBefore(before), id), StoresAsSent: r.def.Source.StoresAsSent, Write: r.write,
		Explain: func(err error) string { return r.explainUpdate(planned, c, err) },
		Name:    func(object *Object) string { return r.called(r.nameOf(object, cmp.Or(before, planned), c), id) },
		Read: func(ctx context.Context, shows func(*Object) bool) (*attribute.Reading[*Object], error) {
			if slices.ContainsFunc(steps, func(step attribute.Step[*Object, Update]) bool {
				return slices.Contains(r.def.Source.OneFor, step.Attribute)
			}) {
				shows = func(*Object) bool { return false }
			}
			return r.fresh(ctx, id, c, shows, func(object *Object) bool {
				return isGone || r.keepsGone(before, object) || r.keepsGone(planned, object)
			})
		},
		Send: func(ctx context.Context, p attribute.Pending[*Object, Update]) ([]string, error) {
			ignored, err := r.send(ctx, id, before, planned, c, p)
			c.isSent = err == nil
			c.isTaken = err != nil && r.def.Unique.IsTaken != nil && r.def.Unique.IsTaken(err)
			return ignored, err
		},
		At: func(err error) path.Path {
			if planned != nil && r.def.Unique.IsTaken != nil && r.def.Unique.IsTaken(err) {
				return r.existingAt(planned)
			}
			return path.Empty()
		},
	}
	if r.def.Protect != nil {
		subject.Protect = func(now *attribute.Reading[*Object], p attribute.Pending[*Object, Update], diags *diag.Diagnostics) {
			r.def.Protect(ctx, &r.Base, now, p, diags)
		}
	}
	return subject.Change(ctx, &r.Base, steps, now, diags)
}

// explainUpdate is Explain, and says which object has the name that is taken.
func (r *Resource[Model, Object, Update]) explainUpdate(planned *Model, c *Context, err error) string {
	if planned != nil && c.Snapshot != nil && r.def.Unique.IsTaken != nil && r.def.Unique.IsTaken(err) && !r.def.Unique.IsCheckedByPlan {
		if holder, ok := r.withName(&listing[Object]{Snapshot: c.Snapshot}, planned); ok {
			return fmt.Sprintf("%s (ID %s) has the %s now. If another resource of this configuration is to give it up, let this one depend on it (depends_on), or do it in two applies; to swap two, give one of them another %s first.",
				base.Capitalize(r.called(r.def.Index(c.Snapshot).Name(holder), r.def.Key(holder))), textOf(r.idOf(holder)), r.def.Unique.word(), r.def.Unique.word())
		}
	}
	return r.Explain(err)
}

// send sends what is pending: by the table's SendUpdate, or as the current model with the planned values of what is pending.
func (r *Resource[Model, Object, Update]) send(ctx context.Context, id int64, before, planned *Model, c *Context, p attribute.Pending[*Object, Update]) (ignored []string, err error) {
	if r.def.SendUpdate != nil {
		return r.def.SendUpdate(ctx, &r.Base, id, p)
	}
	current := *planned
	r.def.ReadInto(&current, p.Now, c)
	if before != nil && r.def.IsUnread != nil {
		for _, name := range fieldsOf(&current).names() {
			if r.def.IsUnread(name, before, c) {
				fieldsOf(&current).set(name, fieldsOf(before).get(name))
			}
		}
	}
	wanted := current
	if update, ok := any(&wanted).(*Update); ok {
		p.Into(update)
	}
	return nil, r.def.Update(ctx, c, &wanted, &current)
}

// nameOf is what messages call an object: as the state does, or as the server does.
func (r *Resource[Model, Object, Update]) nameOf(object *Object, before *Model, c *Context) string {
	if r.def.Table == nil {
		return r.nameBefore(before)
	}
	if r.def.Index == nil || c.Snapshot == nil {
		return ""
	}
	return r.def.Index(c.Snapshot).Name(object)
}

func (r *Resource[Model, Object, Update]) nameBefore(before *Model) string {
	if before == nil || r.def.Table != nil {
		return ""
	}
	return r.name(before)
}

// Delete deletes, archives or deactivates the object, unless it is to be kept, or another resource of this run has adopted it.
func (r *Resource[Model, Object, Update]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state Model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := r.id(&state)
	subject := r.called(r.name(&state), id)
	summary := "Cannot " + cmp.Or(r.def.DeleteVerb, "delete") + " " + subject
	if r.def.IsKept != nil && r.def.IsKept(&state) {
		tflog.Info(ctx, "Kept, and not managed any more", map[string]any{"object": subject})
		r.release(id, &state)
		return
	}
	if r.def.IsCreated != nil {
		var ok bool
		if id, ok = r.findState(ctx, id, &state, summary, &resp.Diagnostics); !ok {
			return
		}
	}
	// Another resource of this run may be about to create the same, or have adopted this one.
	same := cmp.Or(r.fold(r.name(&state)), fmt.Sprint(id))
	unlock, ok := r.LockOrReport(ctx, r.kind()+" "+same, summary, &resp.Diagnostics)
	if !ok {
		return
	}
	defer unlock()
	if r.Meta.Run.IsAdopted(r.kind(), id) {
		tflog.Info(ctx, "Not deleted: another resource has adopted it", map[string]any{"object": subject})
		return
	}
	r.Meta.Run.Manage(r.kind(), id) // no other resource adopts it, though a list still shows it
	err := r.deleteUnused(ctx, id, &state)
	if !r.def.Source.Lags && !r.def.Archives {
		r.invalidate()
	}
	if err != nil {
		r.report(&resp.Diagnostics, summary, err)
		return
	}
	if r.def.Archives {
		// Its name is taken, but not for the object that replaces it: that one is planned again while it is applied.
		r.Meta.Run.Destroy(r.kind(), id)
		r.release(id, &state)
	}
}

// release lets whoever creates an object of the same name in this run have this one: it is that one again.
func (r *Resource[Model, Object, Update]) release(id int64, state *Model) {
	if name := r.fold(r.name(state)); name != "" && id != 0 {
		r.Meta.Run.Manage(r.kind(), id)
		r.Meta.Run.Release(r.kind(), name, id)
	}
}

// InUseError is what Delete returns where the server refuses because something still uses the object.
type InUseError struct{ Err error }

// Error says what uses it.
func (e *InUseError) Error() string { return e.Err.Error() }

// Unwrap returns the error to report.
func (e *InUseError) Unwrap() error { return e.Err }

// deleteUnused deletes the object. It repeats the request if the server refuses it because the object is in use, see [untilFree].
// Resources that reference the object are changed after it, so no repetition helps with them.
func (r *Resource[Model, Object, Update]) deleteUnused(ctx context.Context, id int64, state *Model) (err error) {
	untilFree(ctx, func() (isBlocked bool) {
		err = r.delete(ctx, id, state)
		inUse := (*InUseError)(nil)
		return errors.As(err, &inUse)
	})
	return err
}

// delete sends the request. Where an object is archived, a second request finds out whether the first was carried out.
func (r *Resource[Model, Object, Update]) delete(ctx context.Context, id int64, state *Model) error {
	if r.def.DeletesByName {
		return r.deleteByName(ctx, id, state)
	}
	pause := zulip.FirstPause
	for attempt := 0; ; attempt++ {
		err := r.write(ctx, func(ctx context.Context) error { return r.def.Delete(ctx, r.context(nil), state) })
		if !r.def.Archives || !zulip.MayHaveHappened(err) || attempt == r.Meta.Client.MaxRetries() || zulip.Sleep(ctx, pause) != nil {
			return err
		}
		pause *= 2
	}
}

// deleteByName sends the request again only while the object is there: after a wait its name may belong to another one.
func (r *Resource[Model, Object, Update]) deleteByName(ctx context.Context, id int64, state *Model) error {
	isDeleted := func(view *listing[Object]) bool { return r.active(view, id, state) == nil }
	for retries := r.Meta.Client.NewRetries(); ; {
		err := r.write(ctx, func(ctx context.Context) error { return r.def.Delete(zulip.SendOnce(ctx), r.context(nil), state) })
		if err == nil {
			return nil
		}
		if err := retries.Wait(ctx, err); err != nil {
			return err
		}
		view, err := r.readFresh(ctx, isDeleted)
		if err != nil {
			return err
		}
		if isDeleted(view) {
			return nil
		}
	}
}

// findState returns the ID of the object of a state, which is set to what it is now. ok is false if there is none. If the server
// would not show it to the account, that is an error under the summary.
func (r *Resource[Model, Object, Update]) findState(ctx context.Context, id int64, state *Model, summary string, diags *diag.Diagnostics) (found int64, ok bool) {
	read := r.known
	if r.def.DeletesByName {
		read = r.readFresh
	}
	view, err := read(ctx, func(view *listing[Object]) bool { return r.active(view, id, state) != nil })
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
	r.def.ReadInto(state, object, r.context(view))
	return r.def.Key(object), true
}
