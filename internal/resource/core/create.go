package core

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Create creates the object, reactivates one, or uses one that the plan or a destroyed resource of this run released.
// Then it sends the missing planned values.
func (r *Resource[Model, Object, Patch]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan Model
	diags := &resp.Diagnostics
	diags.Append(req.Plan.Get(ctx, &plan)...)
	if diags.HasError() || !r.Ready(diags) || !r.readNamedPeople(ctx, diags, &plan) {
		return
	}
	w := &creation[Model, Object, Patch]{Resource: r, plan: &plan, c: &Call{Base: &r.Base, Diags: diags}, diags: diags}
	if !w.create(ctx) {
		return
	}
	// The object exists. It is written into the state before anything can fail, without the attributes that were not
	// sent yet.
	state := plan
	r.attributes.forgetUnknown(&state)
	isComplete := r.def.Source.StoresAsSent && w.isNew && r.isFilledIn(&plan)
	w.forgetSentLater(&state)
	if len(r.attributes.omittable()) > 0 {
		attribute.ForgetUnmanaged(ctx, resp.Private, diags)
	}
	w.setID(ctx, &state)
	diags.Append(resp.State.Set(ctx, &state)...)
	r.setIdentity(ctx, &state, resp.Identity, diags)
	if w.id == 0 {
		return // it is not known whether it was created
	}
	r.Meta.Run.Note(runstate.Managed, runstate.ID(r.kind(), w.id))
	if r.def.Unique.Of != nil {
		diags.Append(existing.StoreReplacedID(ctx, resp.Private, w.id)...)
	}
	if r.def.RegisterCreated != nil {
		r.def.RegisterCreated(w.c, w.id, &plan, w.isNew)
	}
	if isComplete || !w.readBack(ctx) {
		return
	}
	now := w.complete(ctx)
	switch {
	case now == nil:
	case w.isOthers:
		r.Meta.Run.Forget(runstate.Managed, runstate.ID(r.kind(), w.id))
		resp.State.RemoveResource(ctx)
	case diags.HasError():
		r.saveState(ctx, &state, now.Thing, nil, w.c, &resp.State, resp.Private, diags)
	default:
		planned := plan
		r.saveState(ctx, &plan, now.Thing, &planned, w.c, &resp.State, resp.Private, diags)
	}
}

// creation is the creation of one object.
type creation[Model, Object, Patch any] struct {
	*Resource[Model, Object, Patch]
	plan  *Model
	c     *Call
	diags *diag.Diagnostics

	id    int64
	isNew bool // created by this run, and not adopted
	now   *change.Reading[*Object]
	// before are the earlier objects that look like the new one; nil if they were not searched yet.
	before     map[int64]bool
	isAnswered bool // the server has created it
	isOthers   bool // another request has created it: see [Creating.Shared]
}

// tainted ends the messages about failures after the object was created.
const tainted = "\n\nThe %s exists, and the state has its current values. Terraform marks it as tainted, so the next apply replaces it. To keep it, run terraform untaint ADDRESS, then apply."

// Tainted returns the end of a message about a failure after an object was created. title is the resource's.
func Tainted(title string) string { return fmt.Sprintf(tainted, title) }

// forgetSentLater makes the attributes null in a state that the creating request does not carry, until they are sent
// and accepted.
func (w *creation[Model, Object, Patch]) forgetSentLater(state *Model) {
	for _, name := range w.def.SentLater {
		fieldsOf(state).set(name, nullOf(fieldsOf(state).get(name)))
	}
}

// lacks reports whether the plan sets an attribute that the creating request did not carry.
func (w *creation[Model, Object, Patch]) lacks() bool {
	return !w.isNew || slices.ContainsFunc(w.def.SentLater, func(name string) bool {
		value := fieldsOf(w.plan).get(name)
		return !value.IsNull() && !value.IsUnknown()
	})
}

// readBack reads the object, unless it was read during the search. A failed reading is only an error if values must
// still be sent, because an error makes the next apply replace the object.
func (w *creation[Model, Object, Patch]) readBack(ctx context.Context) (ok bool) {
	if w.now != nil {
		return true
	}
	shows := func(object *Object) bool { return w.isAsPlanned(w.plan, object, w.c) }
	var err error
	if w.now, err = w.rereadObject(ctx, w.id, w.c, shows, anyObject); err == nil {
		return true
	}
	called := w.called(w.name(w.plan), w.id)
	summary := "Cannot read " + called + " after it was created"
	switch {
	case errors.As(err, new(*unseenError)) && w.def.Source.Lags && w.isNew: // that is no evidence: the next plan finds out
		tflog.Info(ctx, summary, map[string]any{"object": called, "error": err.Error()})
	case w.lacks():
		w.diags.AddError(summary, w.Explain(err)+"\n\nNot all planned values were sent."+fmt.Sprintf(tainted, w.def.Title))
	default:
		w.diags.AddWarning(summary, w.Explain(err)+"\n\nThe server accepted it, and the state has the values that were sent. The next plan reads it.")
	}
	return false
}

// complete sends the missing planned values. The creating request does not carry or has dropped them (server-behavior
// §C8), or a reactivated object differs.
func (w *creation[Model, Object, Patch]) complete(ctx context.Context) *change.Reading[*Object] {
	var found diag.Diagnostics
	prior := w.attributes.priorObject(w.now.Thing, w.c, &found)
	if !w.isNew && w.def.Table == nil {
		w.hide(prior)
	}
	missing, problems := w.attributes.steps(prior, w.plan, w.c)
	attribute.ReportProblems(&found, problems)
	if w.isNew && w.def.Shared != "" && w.refuseOthers(missing) {
		return w.now
	}
	if w.isGone(w.now.Thing) && w.def.Reactivation != nil {
		missing = append(missing, w.reactivation())
	}
	now := w.now
	switch {
	case found.HasError() || len(missing) == 0:
	case w.def.Update == nil && w.def.SendUpdate == nil:
		w.refuse(missing, &found)
	default:
		change := &applying[Model, Object, Patch]{Resource: w.Resource, id: w.id, before: prior.Values, planned: w.plan, c: w.c, isReactivated: w.isGone(w.now.Thing)}
		now = change.subject(missing).Change(ctx, &w.Base, missing, w.now, &found)
	}
	for _, one := range found {
		if one.Severity() == diag.SeverityError {
			one = withDetail(one, fmt.Sprintf(tainted, w.def.Title))
		}
		w.diags.Append(one)
	}
	return now
}

// refuseOthers reports an object that another request may have created: its creator, or a value that the creating request
// carries, differs. It returns false if nothing differs. Two requests of one account can then not be told apart.
func (w *creation[Model, Object, Patch]) refuseOthers(missing []change.Step[*Object, Patch]) bool {
	called := w.called(w.nameOf(w.now.Thing, w.plan, w.c), w.id)
	var summary, evidence string
	if creator, _ := w.def.CreatedBy(w.now.Thing); creator != nil && *creator != w.Meta.Store.Self().ID {
		by := fmt.Sprintf("the account with the ID %d", *creator)
		if user, ok := w.now.View.User(*creator); ok {
			by = user.Address()
		}
		summary = fmt.Sprintf("Someone else created %s at the same moment", called)
		evidence = fmt.Sprintf("It was created by %s at the same moment. The server answered both requests with the ID %d.", by, w.id)
	}
	for _, step := range missing {
		if summary == "" && !step.Permission && !slices.Contains(w.def.SentLater, step.Attribute) {
			summary = fmt.Sprintf("%s has other values than were sent", base.Capitalize(called))
			evidence = fmt.Sprintf("Its %s is %s, and this apply sent %s. Another apply with the same account created it at the same moment, or someone has changed it since.", step.Attribute, step.Prior, step.Planned)
		}
	}
	if w.isOthers = summary != ""; w.isOthers {
		w.diags.AddError(summary, fmt.Sprintf("%s %s\n\nThis resource does not manage the %s. If another state manages it, choose another name. Otherwise import it:\n\n%s",
			evidence, w.def.Shared, w.def.Title, existing.ImportBlock(w.kind(), fmt.Sprint(w.id))))
	}
	return w.isOthers
}

// withDetail adds to the detail of an error.
func withDetail(one diag.Diagnostic, more string) diag.Diagnostic {
	if at, ok := one.(diag.DiagnosticWithPath); ok {
		return diag.NewAttributeErrorDiagnostic(at.Path(), one.Summary(), one.Detail()+more)
	}
	return diag.NewErrorDiagnostic(one.Summary(), one.Detail()+more)
}

// hide uses a state as the prior values, in which attributes that the server does not show are null, so that they are
// sent.
func (w *creation[Model, Object, Patch]) hide(prior *attribute.Prior[Model, *Object]) {
	values := *w.plan
	w.def.ReadInto(&values, prior.Object, w.c)
	prior.Values, prior.IsState = &values, true
	if w.def.IsHidden == nil {
		return
	}
	for _, name := range fieldsOf(&values).names() {
		if w.def.IsHidden(name, nil, w.c) {
			fieldsOf(&values).set(name, nullOf(fieldsOf(&values).get(name)))
		}
	}
}

// reactivation returns the step that reactivates an object.
func (w *creation[Model, Object, Patch]) reactivation() change.Step[*Object, Patch] {
	return change.Step[*Object, Patch]{
		Attribute: "deactivated", Prior: "true", Planned: "false",
		Current: func(object *Object) string { return fmt.Sprint(w.isGone(object)) },
		Put:     func(update *Patch, _ *Object, _ bool) { w.def.Reactivation(update) },
	}
}

// refuse reports values that differ and that no request can change.
func (w *creation[Model, Object, Patch]) refuse(missing []change.Step[*Object, Patch], diags *diag.Diagnostics) {
	var text string
	for _, step := range missing {
		text += fmt.Sprintf("%s\n  now:     %s\n  planned: %s\n", step.Attribute, step.Prior, step.Planned)
	}
	diags.AddError("Unexpected values of "+w.called(w.name(w.plan), w.id),
		"The server accepted the request, but has other values than planned. Someone else changed them at the same time, or the server is too old for them.\n"+w.WithUntried(w.kind(), text))
}

// create sets the ID of the object, which was released for this resource, reactivated, or created.
func (w *creation[Model, Object, Patch]) create(ctx context.Context) (ok bool) {
	name := w.name(w.plan)
	called := w.called(w.name(w.plan), 0)
	if w.id, ok = w.Meta.Run.TakeReleased(w.kind(), name); ok {
		if !w.Meta.Run.Knows(runstate.Gone, runstate.ID(w.kind(), w.id)) || w.def.Reactivate == nil {
			return true
		}
		return w.reactivate(ctx, called) // the object is being replaced: it keeps its name, is reactivated, and gets the planned values
	}
	if err := w.readNeeds(ctx, w.c); err != nil {
		w.diags.AddError("Cannot create "+called, base.Explain(err))
		return false
	}
	if w.def.Adopt != nil {
		id, found, err := w.def.Adopt(ctx, w.c, w.plan)
		if err != nil {
			w.report(w.diags, "Cannot create "+called, err)
			return false
		}
		if found {
			w.id = id
			return w.def.Reactivate == nil || w.reactivate(ctx, called)
		}
	}
	if name == "" {
		name = fmt.Sprint(*w.plan) // other creations of the same object wait
	}
	var effect *effects.Write
	if w.def.Effect != nil {
		effect = w.def.Effect(w.c, w.plan)
	}
	var err error
	w.id, err = existing.CreateOnce(ctx, w.Meta, w.kind(), w.fold(name), effect, w.look, w.sendAndFind)
	switch {
	case err == nil:
		w.isNew = true
		return true
	case w.def.IsCreated != nil && (w.isAnswered || zulip.MayHaveHappened(err)):
		w.id = 0
		w.diags.AddError(fmt.Sprintf("Unknown whether %s was created", called), w.Explain(err)+"\n\nThe next plan finds out by its "+w.def.Unique.word()+".")
		return true
	case w.def.Unique.IsTaken != nil && w.def.Unique.IsTaken(err):
		if !w.refuseTaken(ctx) {
			base.AddErrorAt(w.diags, w.existingAt(w.plan), "Cannot create "+called, w.Explain(err))
		}
	default:
		w.report(w.diags, "Cannot create "+called, err)
	}
	return false
}

// reactivate reactivates an object that this run has archived or deactivated.
func (w *creation[Model, Object, Patch]) reactivate(ctx context.Context, called string) (ok bool) {
	err := w.def.Reactivate(ctx, w.c, w.id)
	if err != nil && zulip.MayHaveHappened(err) {
		if _, readErr := w.RereadObject(ctx, w.id); readErr == nil {
			return true
		}
	}
	if err != nil {
		w.report(w.diags, "Cannot reactivate "+called, err)
	}
	return err == nil
}

// look finds an object that may be the new one, for [existing.CreateOnce]: first in the snapshot, later in a new reading.
func (w *creation[Model, Object, Patch]) look(ctx context.Context, isNew func(int64) bool) (int64, error) {
	find := func(view *listing[Object]) *Object {
		for _, object := range w.candidates(view) {
			if !w.isGone(object) && (w.def.MayBeCreated != nil || w.isAsPlanned(w.plan, object, w.call(view))) && isNew(w.def.Key(object)) {
				return object
			}
		}
		return nil
	}
	if w.before == nil {
		view, err := w.cached(ctx, anything)
		if err != nil {
			return 0, err
		}
		w.before = map[int64]bool{}
		for _, object := range w.candidates(view) {
			w.before[w.def.Key(object)] = true
		}
		find(view) // isNew records the earlier objects
		return 0, nil
	}
	view, err := w.reread(ctx, func(view *listing[Object]) bool { return find(view) != nil })
	if err != nil {
		return 0, err
	}
	object := find(view)
	if object == nil {
		return 0, nil
	}
	return w.found(object, view), nil
}

func (w *creation[Model, Object, Patch]) found(object *Object, view *listing[Object]) int64 {
	w.c.Snapshot, w.now = view.Snapshot, &change.Reading[*Object]{Thing: object, View: view.Snapshot}
	return w.def.Key(object)
}

// sendCreate sends the request that creates the object.
func (w *creation[Model, Object, Patch]) sendCreate(ctx context.Context) (int64, error) {
	done, err := w.Meta.Store.BeginWrite(ctx, w.cachedList())
	if err != nil {
		return 0, err
	}
	id, err := w.def.Create(ctx, w.c, w.plan)
	done()
	w.wrote(err)
	if err == nil || w.def.Lacks == nil {
		return id, err
	}
	return id, w.Meta.WhyRefused(ctx, err, func(view *snapshot.Snapshot, found *diag.Diagnostics) {
		c := *w.c
		c.Snapshot = view
		w.def.Lacks(ctx, &c, w.plan, found)
	})
}

// sendCreateWithNames is sendCreate for a request with names from parts. It is sent once for each reading.
func (w *creation[Model, Object, Patch]) sendCreateWithNames(ctx context.Context, parts []store.Part) (id int64, err error) {
	for retries := w.Meta.Client.NewRetries(); ; {
		if w.c.Snapshot, err = w.Meta.Store.Fresh(ctx, parts...); err != nil {
			return 0, &notCreatedError{err}
		}
		if id, err = w.sendCreate(zulip.SendOnce(ctx)); err == nil || zulip.MayHaveHappened(err) {
			return id, err
		}
		if err := retries.Wait(ctx, err); err != nil {
			return 0, err
		}
	}
}

// sendAndFind sends the request, and finds the ID of the object if the server does not return it.
func (w *creation[Model, Object, Patch]) sendAndFind(ctx context.Context) (id int64, err error) {
	var parts []store.Part
	if w.def.Source.PartsSent != nil {
		parts = w.def.Source.PartsSent(&w.Base)
	}
	if len(parts) > 0 {
		id, err = w.sendCreateWithNames(ctx, parts)
	} else {
		id, err = w.sendCreate(ctx)
	}
	if err != nil || id != 0 || w.def.IsCreated == nil {
		return id, err
	}
	w.isAnswered = true
	find := func(view *listing[Object]) *Object {
		return w.created(view, w.plan, func(id int64) bool { // a list still shows a deleted object
			return !w.before[id] && !w.Meta.Run.Knows(runstate.Managed, runstate.ID(w.kind(), id))
		})
	}
	view, err := w.reread(ctx, func(view *listing[Object]) bool { return find(view) != nil })
	if err != nil {
		return 0, err
	}
	object := find(view)
	if object == nil {
		return 0, fmt.Errorf("the server accepted the request but does not list the %s; someone may have deleted it immediately", w.def.Title)
	}
	return w.found(object, view), nil
}

// candidates returns the objects that a plan may have created. They have its name, if it has one.
func (w *creation[Model, Object, Patch]) candidates(view *listing[Object]) []*Object {
	all := w.all(view)
	if w.def.Unique.Of != nil && !w.def.IsCheckedByPlan {
		all = nil
		if object, ok := w.withName(view, w.plan); ok {
			all = []*Object{object}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(object *Object) bool {
		return w.def.MayBeCreated != nil && !w.def.MayBeCreated(w.plan, object, w.call(view))
	})
}

// refuseTaken reports the object with the name that the server refused as taken. It returns false if the account sees
// none.
func (w *creation[Model, Object, Patch]) refuseTaken(ctx context.Context) bool {
	view, err := w.reread(ctx, func(view *listing[Object]) bool { _, ok := w.withName(view, w.plan); return ok })
	if err != nil {
		return false
	}
	object, ok := w.withName(view, w.plan)
	if !ok {
		return false
	}
	w.RefuseName(w.plan, object, w.call(view), w.diags)
	return true
}

// setID sets the ID of a state. If Create has not set an ID that is a text, it is the adopted object's.
func (w *creation[Model, Object, Patch]) setID(ctx context.Context, state *Model) {
	if w.hasNumber() {
		if w.id != 0 {
			fieldsOf(state).set(idAttribute, types.Int64Value(w.id))
		}
		return
	}
	if view, err := w.cached(ctx, anything); err == nil && w.id != w.Resource.id(state) {
		if object, ok := w.get(view, w.id); ok {
			fieldsOf(state).set(idAttribute, w.idOf(object))
		}
	}
}

// isFilledIn reports whether only the ID is unknown.
func (r *Resource[Model, Object, Patch]) isFilledIn(m *Model) bool {
	return !slices.ContainsFunc(fieldsOf(m).names(), func(name string) bool {
		return name != idAttribute && !isKnown(fieldsOf(m).get(name))
	})
}

// notCreatedError is the reason why nothing was created. It hides its cause, a failed read, from callers that ask
// whether a request may have been executed.
type notCreatedError struct{ cause error }

// Error returns that nothing was created, and why.
func (e *notCreatedError) Error() string { return "nothing was created: " + e.cause.Error() }

// Explanation returns the same for messages.
func (e *notCreatedError) Explanation() string {
	return base.Explain(e.cause) + "\n\nNothing was created."
}
