package defaultchannelgroup

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// ModifyPlan refuses what the server would refuse.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	r.Held(ctx, kind, "default channel group", req, &resp.Diagnostics)
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
	view, err := r.Meta.Directory.ListShowing(ctx, list, func(view *directory.View) bool { return r.holder(plan, state, view) == nil })
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
func (r *Resource) checkName(plan, state *model, view *directory.View, diags *diag.Diagnostics) {
	namesake := r.holder(plan, state, view)
	if namesake == nil {
		return
	}
	diags.AddAttributeError(path.Root("name"), fmt.Sprintf("There is a default channel group %q already", namesake.Name),
		fmt.Sprintf("It has the ID %d. Import it (an apply that was broken off may have left it): terraform import ADDRESS %d\n\nElse delete it, or choose another name.", namesake.ID, namesake.ID))
}

// holder returns the group that has the planned name; nil if there is none, or one that this run renames, replaces or
// destroys.
func (r *Resource) holder(plan, state *model, view *directory.View) *zulip.DefaultChannelGroup {
	if plan.Name.IsUnknown() || plan.Name.Equal(state.Name) {
		return nil
	}
	namesake := named(view, plan.Name.ValueString())
	if namesake == nil || r.Meta.Directory.IsClaimed(kind, namesake.ID) {
		return nil
	}
	return namesake
}

// checkChannel refuses a channel that cannot be put into a group. What this run manages may be otherwise by then.
func (r *Resource) checkChannel(id int64, view *directory.View, diags *diag.Diagnostics) {
	at := path.Root("channel_ids").AtSetValue(types.Int64Value(id))
	refuse := diags.AddAttributeError
	if r.Meta.Directory.IsManaged(id) {
		refuse = diags.AddAttributeWarning
	}
	switch channel, ok := view.Channel(id); {
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
func named(view *directory.View, name string) *zulip.DefaultChannelGroup {
	return find(view, func(group *zulip.DefaultChannelGroup) bool { return group.Name == name })
}

func find(view *directory.View, is func(*zulip.DefaultChannelGroup) bool) *zulip.DefaultChannelGroup {
	groups := view.DefaultChannelGroups()
	if i := slices.IndexFunc(groups, is); i >= 0 {
		return groups[i]
	}
	return nil
}
