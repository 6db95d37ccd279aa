package defaultchannelgroup

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// ModifyPlan refuses what the server would refuse.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	r.Held(ctx, kind, "default channel group", false, req, &resp.Diagnostics)
	if !req.Plan.Raw.IsNull() && req.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	if !r.RequireAdministrator("manage default channel groups", &resp.Diagnostics) {
		return
	}
	var plan, state *model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || plan == nil {
		return
	}
	if state == nil {
		state = &model{ChannelIDs: types.SetNull(types.Int64Type)}
	}
	view, err := r.Meta.Store.ReadUntil(ctx, list, func(view *snapshot.Snapshot) bool {
		holder := r.holder(plan, state, view)
		return holder == nil || r.Meta.Run.IsManaged(kind, holder.ID)
	})
	if err != nil {
		resp.Diagnostics.AddError("Could not read the default channel groups", framework.Explain(err))
		return
	}
	r.checkName(plan, state, view, &resp.Diagnostics)
	for _, id := range without(channels(plan.ChannelIDs), channels(state.ChannelIDs)) {
		r.checkChannel(id, view, &resp.Diagnostics)
	}
}

// checkName refuses a name that another group has and keeps.
func (r *Resource) checkName(plan, state *model, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	if state.Name.IsNull() && !plan.Name.IsUnknown() {
		r.Meta.Run.WillCreate(kind, plan.Name.ValueString())
	}
	namesake := r.holder(plan, state, view)
	if namesake == nil {
		return
	}
	existing := existing(plan, namesake)
	existing.AsPlanned = existing.AsPlanned && state.Name.IsNull()
	existing.MayBeReplaced, existing.IsRename = existing.AsPlanned, !state.Name.IsNull()
	r.CheckExisting(existing, diags)
}

// existing is the group that has the planned name.
func existing(plan *model, namesake *zulip.DefaultChannelGroup) framework.Existing {
	return framework.Existing{
		Kind: kind, Noun: "default channel group", Name: namesake.Name, ID: namesake.ID, Import: fmt.Sprint(namesake.ID), At: path.Root("name"),
		Summary:   fmt.Sprintf("There is a default channel group %q already", namesake.Name),
		Detail:    fmt.Sprintf("It has the ID %d.", namesake.ID),
		AsPlanned: plan.isHeld(namesake), Ours: true, // the server does not tell who made it, or when
	}
}

// isHeld reports whether a group is what the plan would make.
func (m *model) isHeld(group *zulip.DefaultChannelGroup) bool {
	held := model{}
	held.read(group)
	return (!framework.IsSet(m.Description) || m.Description.Equal(held.Description)) && (!framework.IsSet(m.ChannelIDs) || m.ChannelIDs.Equal(held.ChannelIDs))
}

// holder returns the group that has the planned name, if it is a new one for the resource; nil if there is none.
func (r *Resource) holder(plan, state *model, view *snapshot.Snapshot) *zulip.DefaultChannelGroup {
	if plan.Name.IsUnknown() || plan.Name.Equal(state.Name) {
		return nil
	}
	return named(view, plan.Name.ValueString())
}

// checkChannel refuses a channel that cannot be put into a group. What this run manages may be otherwise by then.
func (r *Resource) checkChannel(id int64, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	at := path.Root("channel_ids").AtSetValue(types.Int64Value(id))
	refuse := diags.AddAttributeError
	if r.Meta.Run.IsManaged(framework.ChannelKind, id) {
		refuse = diags.AddAttributeWarning
	}
	switch channel, ok := view.Channels().ByID(id); {
	case !ok:
		diags.AddAttributeError(at, "No such channel", fmt.Sprintf("The account the provider uses sees no channel with the ID %d. The data source zulip_channels lists those it sees.", id))
	case channel.IsArchived:
		refuse(at, "The channel is archived", fmt.Sprintf("%q is archived, and archived channels are in no group.", channel.Name))
	case channel.IsDefault:
		refuse(at, "A default channel cannot be in a group",
			fmt.Sprintf("Everybody who joins is put into %q anyway. Take it out of channel_ids, or let the channel have is_default = false before.", channel.Name))
	case channel.InviteOnly:
		diags.AddAttributeWarning(at, fmt.Sprintf("New people get into the private channel %q", channel.Name),
			"The server puts whoever chooses the group into all of its channels.")
	}
}

// named returns the group of a name; nil if there is none. The server tells cases apart.
func named(view *snapshot.Snapshot, name string) *zulip.DefaultChannelGroup {
	return find(view, func(group *zulip.DefaultChannelGroup) bool { return group.Name == name })
}

func find(view *snapshot.Snapshot, is func(*zulip.DefaultChannelGroup) bool) *zulip.DefaultChannelGroup {
	groups := view.DefaultChannelGroups().List()
	if i := slices.IndexFunc(groups, is); i >= 0 {
		return groups[i]
	}
	return nil
}
