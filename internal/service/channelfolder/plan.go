package channelfolder

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// ModifyPlan refuses what the server would refuse, with the reason and the way out.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	r.Held(ctx, kind, "channel folder", true, req, &resp.Diagnostics)
	var plan, state *model
	if !req.Plan.Raw.IsNull() {
		plan = &model{}
		resp.Diagnostics.Append(req.Plan.Get(ctx, plan)...)
	}
	if !req.State.Raw.IsNull() {
		state = &model{}
		resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	}
	if resp.Diagnostics.HasError() || !writes(plan, state) {
		return
	}
	if plan != nil {
		r.CheckLevels(ctx, "zulip_channel_folder", req.Config, &resp.Diagnostics)
	}
	r.RequireAdministrator("manage channel folders", &resp.Diagnostics)
	if plan == nil || plan.Name.IsUnknown() || resp.Diagnostics.HasError() {
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Folders)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the channel folders", framework.Explain(err))
		return
	}
	r.checkName(plan, state, view, &resp.Diagnostics)
}

// writes reports whether an apply would send anything.
func writes(plan, state *model) bool {
	switch {
	case plan == nil:
		return state.OnDestroy.ValueString() != onDestroyKeep
	case state == nil:
		return true
	}
	return plan.changes(state) != (zulip.ChannelFolderUpdate{})
}

// checkName refuses a name that another active folder has, and says which archived one will be taken back.
func (r *Resource) checkName(plan, state *model, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	name := plan.Name.ValueString()
	if state != nil && strings.EqualFold(state.Name.ValueString(), name) {
		return // its own name, perhaps in another case
	}
	if state == nil && !r.Meta.Run.Reserve(kind, strings.ToLower(name)) {
		diags.AddAttributeError(path.Root("name"), fmt.Sprintf("Two resources make a channel folder called %q", name),
			"Another zulip_channel_folder of this configuration has this name; case does not matter. Take one of the two out, or give it another name.")
		return
	}
	if state == nil {
		r.Meta.Run.WillCreate(kind, strings.ToLower(name))
	}
	namesake, taken := view.Folders().ByName(name)
	switch {
	case !taken && state == nil && plan.AdoptArchived.ValueBool():
		if archived, ok := view.ArchivedFolder(name); ok {
			// Named in the detail alone, so that the CLI can make one warning of many.
			diags.AddAttributeWarning(path.Root("adopt_archived"), "An archived channel folder will be taken back",
				fmt.Sprintf("Channel folder %q has the ID %d. What this configuration does not set stays as it was.", archived.Name, archived.ID))
		}
	case !taken:
	default:
		existing := r.existing(plan, namesake)
		existing.AsPlanned = existing.AsPlanned && state == nil
		existing.MayBeReplaced, existing.IsRename = existing.MayBeReplaced && existing.AsPlanned, state != nil
		r.CheckExisting(existing, diags)
	}
}
