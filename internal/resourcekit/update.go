package resourcekit

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Update sends what differs from the prior state, and sets the state to what the server then has.
func (r *Resource[M, T, K]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	id := stateID[K](ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	r.Meta.Run.Manage(r.kind(), ObjectID(id))
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idAttribute), id)...)
	if r.def.Update == nil || agrees(req.Plan.Raw, req.State.Raw, r.def.Unsent...) {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		return
	}
	w := written[M, T, K]{id: id, words: &plan, planned: req.Plan.Raw, prior: req.State.Raw}
	err := r.write(ctx, func(ctx context.Context) error { return r.def.Update(ctx, r.context(nil), &plan, &prior) })
	if err == nil {
		r.storeWritten(ctx, w, &resp.State, &resp.Diagnostics)
		return
	}
	r.reportUpdate(&plan, r.called(r.name(&prior), id), err, &resp.Diagnostics)
	var refusal *zulip.Error
	var reported *diagnostics.Error
	if (errors.As(err, &refusal) || errors.As(err, &reported)) && !r.def.Source.StoresAsSent {
		r.showCurrent(ctx, id, &prior, resp)
	}
}

// showCurrent sets the state to what the server has after an update that failed: it can take several requests, and those
// before the refused one were carried out; or the server reported success, and did less. If that cannot be read the state
// stays as it was, and the next plan reads again.
func (r *Resource[M, T, K]) showCurrent(ctx context.Context, id K, prior *M, resp *resource.UpdateResponse) {
	view, err := r.readFresh(ctx, anything)
	if err != nil {
		return
	}
	if object, ok := r.get(view, id); ok {
		m := *prior
		r.def.ReadInto(&m, object, r.context(view))
		resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
	}
}

// reportUpdate reports why an object was not updated: at the unique attribute if that is why.
func (r *Resource[M, T, K]) reportUpdate(plan *M, subject string, err error, diags *diag.Diagnostics) {
	if r.def.Unique.IsTaken != nil && r.def.Unique.IsTaken(err) {
		diags.AddAttributeError(r.existingAt(plan), "Cannot update "+subject, r.Explain(err))
		return
	}
	r.report(diags, "Cannot update "+subject, err)
}

// reportUnlisted reports that the server does not list what it just wrote. Where its lists lag that says nothing: the next
// plan finds out.
func (r *Resource[M, T, K]) reportUnlisted(ctx context.Context, subject string, diags *diag.Diagnostics) {
	if r.def.Source.Lags {
		tflog.Info(ctx, "The server does not list what it has just written", map[string]any{"object": subject})
		return
	}
	diags.AddError("The server does not list "+subject+" after it was written", "Somebody else may have deleted it at the same time. The next plan shows what is left to do.")
}

// Delete deletes the object, unless it is to be kept, or another resource of this run has adopted it.
func (r *Resource[M, T, K]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state M
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	id := stateID[K](ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	subject := r.called(r.name(&state), id)
	if r.def.IsKept != nil && r.def.IsKept(&state) {
		tflog.Info(ctx, "Kept, and not managed any more", map[string]any{"object": subject})
		return
	}
	if r.def.IsCreated != nil {
		var ok bool
		if id, ok = r.findState(ctx, id, &state, &resp.Diagnostics); !ok {
			return
		}
	}
	summary := "Cannot " + cmp.Or(r.def.DeleteVerb, "delete") + " " + subject
	// Another resource of this run may be about to create the same, or have adopted this one.
	same := cmp.Or(r.fold(r.name(&state)), fmt.Sprint(id))
	unlock, ok := r.LockOrReport(ctx, r.kind()+" "+same, summary, &resp.Diagnostics)
	if !ok {
		return
	}
	defer unlock()
	if r.Meta.Run.IsAdopted(r.kind(), ObjectID(id)) {
		tflog.Info(ctx, "Not deleted: another resource has adopted it", map[string]any{"object": subject})
		return
	}
	r.Meta.Run.Manage(r.kind(), ObjectID(id)) // no other resource adopts it, though a list still shows it
	err := r.write(ctx, func(ctx context.Context) error { return r.def.Delete(ctx, r.context(nil), &state) })
	if !r.def.Source.Lags {
		r.invalidate()
	}
	if err != nil {
		r.report(&resp.Diagnostics, summary, err)
	}
}

// findState returns the ID of the object of a state, which is set to what it is now. ok is false if there is none.
func (r *Resource[M, T, K]) findState(ctx context.Context, id K, state *M, diags *diag.Diagnostics) (found K, ok bool) {
	view, ok := r.read(ctx, diags, func(view *listing[T]) bool { return r.active(view, id, state) != nil })
	if !ok {
		return id, false
	}
	object := r.active(view, id, state)
	if object == nil {
		tflog.Info(ctx, "Deleted already", map[string]any{"object": r.called(r.name(state), id)})
		return id, false
	}
	r.def.ReadInto(state, object, r.context(view))
	return r.def.Key(object), true
}
