package subscription

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// shared are the attributes that both resources have.
type shared struct {
	Channel   types.String `tfsdk:"channel"`
	ChannelID types.Int64  `tfsdk:"channel_id"`
	Users     types.List   `tfsdk:"users"`
	Tell      types.Bool   `tfsdk:"send_new_subscription_messages"`
}

// planning is what a plan is about.
type planning struct {
	view    *snapshot.Snapshot
	channel *zulip.Channel
	// wanted are those whom `users` names.
	wanted people
	// before are those whom the state names for the same channel.
	before ids
	// held reports whether the state is about the same channel, same whether it means the same people.
	held, same bool
}

// locate finds the channel and the people of a plan, and puts into the plan what follows: the words of the state where
// they mean the same, and the channel's ID. It returns nil while the channel is not known, or cannot be found.
func (b *relation) locate(ctx context.Context, plan, state *shared, resp *resource.ModifyPlanResponse) *planning {
	view, err := b.Meta.Store.ReadNaming(ctx, lookup.Names(plan.Users.Elements()), store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", diagnostics.Explain(err))
		return nil
	}
	p := &planning{view: view, wanted: peopleIn(plan.Users, view, &resp.Diagnostics)}
	replace := func() {
		if !state.ChannelID.IsNull() {
			resp.RequiresReplace.Append(path.Root("channel"))
		}
	}
	if plan.Channel.IsUnknown() || lookup.IsPlannedChannel(view, plan.Channel.ValueString()) {
		plan.ChannelID = types.Int64Unknown()
		replace() // it will be another
		return nil
	}
	if p.channel = findChannel(view, plan.Channel, &resp.Diagnostics); p.channel == nil {
		return nil
	}
	plan.ChannelID = types.Int64Value(p.channel.ID)
	if p.held = state.ChannelID.Equal(plan.ChannelID); !p.held {
		replace()
		return p
	}
	plan.Channel = state.Channel
	if plan.Users.IsUnknown() {
		resp.Diagnostics.AddAttributeWarning(path.Root("users"), fmt.Sprintf("The subscribers of channel %q wait for the next apply", p.channel.Name),
			"Who they are to be is known only after this apply, so this plan cannot list who would be unsubscribed. Nobody is subscribed or unsubscribed now; plan again after the apply. "+
				"The members of a user group that this configuration manages are known at plan: zulip_user_group.NAME.members.")
		plan.Users = state.Users
	}
	var gone diag.Diagnostics // who is not there any more is none of the plan's business
	was := peopleIn(state.Users, view, &gone)
	p.before = was.active
	if p.wanted = peopleIn(plan.Users, view, &gone); !gone.HasError() && p.wanted.same(was) {
		p.same, plan.Users = true, state.Users
	}
	return p
}

// start reads the channel of a plan and whom it means; nil after an error.
func (b *relation) start(ctx context.Context, plan *shared, diags *diag.Diagnostics) (*reading, people) {
	view, err := b.Meta.Store.ReadNaming(ctx, lookup.Names(plan.Users.Elements()), store.Channels)
	if err != nil {
		diags.AddError("Cannot read the organization", diagnostics.Explain(err))
		return nil, people{}
	}
	channel, wanted := findChannel(view, plan.Channel, diags), peopleIn(plan.Users, view, diags)
	if !wanted.known {
		diags.AddAttributeError(path.Root("users"), "Somebody is still not in the organization",
			"The plan was to create an account before. Refer to the resource that does, so that Terraform knows the order.")
	}
	if diags.HasError() {
		return nil, people{}
	}
	return b.read(ctx, channel.ID, diags), wanted
}

// findChannel finds the channel a resource is about, and reports why there is none.
func findChannel(view *snapshot.Snapshot, text types.String, diags *diag.Diagnostics) *zulip.Channel {
	channel, err := lookup.Channel(view, text.ValueString())
	switch {
	case err != nil:
		diags.AddAttributeError(path.Root("channel"), "No such channel",
			diagnostics.Sentence(err)+"\n\nIf this configuration creates the channel, write zulip_channel.NAME.id: its ID is not known before, so that the channel comes first.")
		return nil
	case channel.IsArchived:
		diags.AddAttributeError(path.Root("channel"), "The channel is archived",
			fmt.Sprintf("Nobody enters %q. A zulip_channel with its name and adopt_archived = true unarchives it; refer to it here, so that it comes first.", channel.Name))
		return nil
	}
	return channel
}

const bothKinds = "zulip_channel_subscribers says who is in the channel, and nobody else; zulip_channel_subscription adds people to whoever is in. Of one channel, the first would take out whom the second adds. Keep one of the two kinds."
