package resourcekit

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/compareandset"
	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permissionattribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Read sets the state to what the snapshot has, or removes an object that is gone from the state.
func (r *TableResource[M, F, T, U]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state M
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := r.id(&state)
	// Also for an object that is gone: without an identity the CLI takes the answer for a mistake.
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idAttribute), id)...)
	s, err := r.Meta.Store.Read(ctx, r.def.Source.Part)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the "+r.def.Plural, diagnostics.Explain(err))
		return
	}
	object, ok := r.def.Index(s).ByID(id)
	if !ok || r.def.IsGone(object) {
		r.Meta.Run.Lose(r.kind(), id)
		tflog.Info(ctx, "The "+r.def.Title+" was deleted or archived outside of Terraform: removing it from the state",
			map[string]any{"id": id, "name": r.name(&state), "archived": ok})
		resp.State.RemoveResource(ctx)
		return
	}
	r.Meta.Run.Manage(r.kind(), id)
	before := state
	set := func() diag.Diagnostics {
		if reflect.DeepEqual(before, state) {
			return nil // the response has it already, and to write it again costs more than to compare
		}
		return resp.State.Set(ctx, &state)
	}
	now := &compareandset.Reading[*T]{Thing: object, View: s}
	r.def.Table.Store(ctx, r.def.Facts(&state), now, nil, attribute.On(&r.Base, s), set, resp.Private, &resp.Diagnostics)
}

// Update sends what differs between the prior and the planned values, unless somebody else has changed it since.
func (r *TableResource[M, F, T, U]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := r.id(&state)
	s, err := r.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", diagnostics.Explain(err))
		return
	}
	before := state
	if r.def.AdjustPrior != nil {
		r.def.AdjustPrior(&r.Meta.Run, r.def.Facts(&before))
	}
	on, planned := attribute.On(&r.Base, s), r.def.Facts(&plan)
	prior := r.def.Table.PriorState(r.def.Facts(&before), permissionattribute.Raw(ctx, req.Private, &resp.Diagnostics), on)
	steps, problems := r.def.Table.Steps(prior, planned, on)
	permissionattribute.ReportProblems(&resp.Diagnostics, problems)
	if resp.Diagnostics.HasError() {
		return
	}
	now := r.Change(ctx, id, steps, nil, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		planned = nil // what was refused keeps the form it had in the state
	} else {
		state = plan
	}
	set := func() diag.Diagnostics { return resp.State.Set(ctx, &state) }
	r.def.Table.Store(ctx, r.def.Facts(&state), now, planned, on, set, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idAttribute), id)...)
}

// Delete archives or deactivates the object, unless it is to be kept, or another resource of this run has adopted it.
func (r *TableResource[M, F, T, U]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state M
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id, name := r.id(&state), r.name(&state)
	if r.def.IsKept != nil && r.def.IsKept(&state) {
		tflog.Info(ctx, "Kept, and not managed any more", map[string]any{"object": r.called(name, id)})
		return
	}
	if r.Meta.Run.IsAdopted(r.kind(), id) {
		tflog.Info(ctx, "Not deleted: another resource has adopted it", map[string]any{"object": r.called(name, id)})
		return
	}
	pause := zulip.FirstPause
	for attempt := 0; ; attempt++ {
		err := r.def.Archive(ctx, r, &state)
		if err == nil {
			// Its name is taken, but not for the object that replaces it: that one is planned again while it is applied.
			r.Meta.Run.Manage(r.kind(), id)
			r.Meta.Run.Destroy(r.kind(), id)
			r.Meta.Run.Release(r.kind(), r.fold(name), id)
			return
		}
		// A second request finds out whether the first was carried out.
		if !zulip.MayHaveHappened(err) || attempt == r.Meta.Client.MaxRetries() || zulip.Sleep(ctx, pause) != nil {
			r.report(&resp.Diagnostics, "Cannot "+r.def.DeleteVerb+" "+r.called(name, id), err)
			return
		}
		pause *= 2
	}
}
