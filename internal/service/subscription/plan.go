package subscription

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permissionattribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// shared are the attributes that both resources have.
type shared struct {
	Channel     types.String `tfsdk:"channel"`
	ChannelID   types.Int64  `tfsdk:"channel_id"`
	Users       types.List   `tfsdk:"users"`
	Groups      types.List   `tfsdk:"groups"`
	GroupUsers  types.List   `tfsdk:"group_user_ids"`
	Resubscribe types.Bool   `tfsdk:"resubscribe"`
	Left        types.List   `tfsdk:"left_user_ids"`
	Tell        types.Bool   `tfsdk:"send_new_subscription_messages"`
}

// planning is what a plan is about.
type planning struct {
	view    *snapshot.Snapshot
	channel *zulip.Channel
	// listed are those whom `users` names, members those in the groups.
	listed  people
	members groupMembers
	// wanted are all who are to be subscribed, known if they are all known.
	wanted people
	// before are those whom the state names for the same channel, subscribed when it was read.
	before ids
	// held reports whether the state is about the same channel, same whether it means the same people.
	held, same bool
}

// locate finds the channel and the people of a plan, and puts into the plan what follows: the words of the state where
// they mean the same, the channel's ID, and who is subscribed through groups. It returns nil while they are not known, or
// cannot be found.
func (b *relation) locate(ctx context.Context, plan, state *shared, private permissionattribute.PrivateGetter, resp *resource.ModifyPlanResponse) *planning {
	view, err := b.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", diagnostics.Explain(err))
		return nil
	}
	p := &planning{view: view, listed: peopleIn(plan.Users, view, &resp.Diagnostics), members: b.membersIn(plan.Groups, view, &resp.Diagnostics)}
	replace := func() {
		if !state.ChannelID.IsNull() {
			resp.RequiresReplace.Append(path.Root("channel"))
		}
	}
	if plan.Channel.IsUnknown() || lookup.IsPlannedChannel(view, plan.Channel.ValueString()) {
		plan.ChannelID = types.Int64Unknown()
		p.planPeople(plan, &shared{})
		replace() // it will be another
		return nil
	}
	if p.channel = findChannel(view, plan.Channel, &resp.Diagnostics); p.channel == nil {
		p.planPeople(plan, &shared{})
		return nil
	}
	plan.ChannelID = types.Int64Value(p.channel.ID)
	if p.held = state.ChannelID.Equal(plan.ChannelID); !p.held {
		p.planPeople(plan, &shared{})
		replace()
		return p
	}
	plan.Channel = state.Channel
	var gone diag.Diagnostics // who is not there any more is none of the plan's business
	if !plan.Groups.Equal(state.Groups) {
		plan.Groups = keepGroups(plan.Groups, state.Groups, p.members, b.membersIn(state.Groups, view, &gone))
	}
	if was := readMemory(ctx, private, &resp.Diagnostics); was != nil && plan.Groups.Equal(state.Groups) && !b.Meta.Run.IsRefreshed(refreshKind, p.channel.ID) {
		b.asRead(&p.members, was.members(state), view)
	}
	gone = nil
	was := peopleIn(state.Users, view, &gone)
	p.before = state.subscribed(was)
	p.planPeople(plan, state)
	skipped := plan.skipped(numbersIn(state.Left))
	listed := !gone.HasError() && p.listed.without(skipped).same(was.without(skipped))
	if listed && !plan.Users.IsNull() && !state.Users.IsNull() {
		plan.Users = state.Users
	}
	p.same = listed && plan.GroupUsers.Equal(state.GroupUsers) && plan.Left.Equal(state.Left)
	return p
}

// refreshKind is what the run state knows those channels by whose subscribers a resource has read into its state.
const refreshKind = "channel subscribers"

// planPeople puts into the plan who is subscribed through groups, and who has left, and works out who is wanted. What an
// apply may find otherwise is not known before.
func (p *planning) planPeople(plan, state *shared) {
	left := numbersIn(state.Left)
	skipped := plan.skipped(left)
	p.wanted = p.listed.without(skipped)
	p.wanted.known = p.listed.known && p.members.known
	p.wanted.active = maps.Clone(p.wanted.active)
	through := p.members.planned.filter(func(id int64) bool { return !skipped[id] })
	maps.Copy(p.wanted.active, through.filter(func(id int64) bool { return !isDeactivated(id, p.view) }))
	switch {
	case plan.Groups.IsNull():
		plan.GroupUsers = types.ListNull(types.Int64Type)
	case p.members.settled:
		plan.GroupUsers = numbersOf(slices.Sorted(maps.Keys(through)))
	default:
		plan.GroupUsers = types.ListUnknown(types.Int64Type)
	}
	switch {
	case !plan.resubscribes() || len(left) == 0:
		plan.setLeft(left)
	case p.listed.known && p.members.settled:
		plan.setLeft(left.filter(func(id int64) bool { return !p.wanted.active[id] }))
	default:
		plan.Left = types.ListUnknown(types.Int64Type)
	}
}

// start reads the channel of a plan and whom it means; nil after an error. What the plan did not know is put into it. was is
// what is remembered of the prior state; nil for nothing.
func (b *relation) start(ctx context.Context, plan, prior *shared, was *memory, diags *diag.Diagnostics) (*reading, people) {
	view, err := b.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		diags.AddError("Cannot read the organization", diagnostics.Explain(err))
		return nil, people{}
	}
	channel := findChannel(view, plan.Channel, diags)
	p := &planning{view: view, listed: peopleIn(plan.Users, view, diags), members: b.membersIn(plan.Groups, view, diags)}
	if !p.listed.known {
		diags.AddAttributeError(path.Root("users"), "Somebody is still not in the organization",
			"The plan was to create or to reactivate an account before. Refer to the resource that does, so that Terraform knows the order.")
	}
	if !p.members.exist {
		diags.AddAttributeError(path.Root("groups"), "A user group is still not in the organization",
			"The plan was to create it before. Refer to the resource that does, as in zulip_user_group.NAME.id, so that Terraform knows the order.")
	}
	if was != nil && plan.Groups.Equal(prior.Groups) && !diags.HasError() {
		b.checkGroups(&p.members, was.members(prior), channel, view, diags)
	}
	if diags.HasError() {
		return nil, people{}
	}
	// What was planned, where it was known; else who is in the groups now.
	p.members.planned, p.members.settled = p.members.current, true
	if !plan.GroupUsers.IsUnknown() {
		p.members.planned = numbersIn(plan.GroupUsers)
	}
	p.members.known = true
	left := plan.Left
	if p.planPeople(plan, prior); !left.IsUnknown() {
		plan.Left = left
	}
	now := b.read(ctx, channel.ID, diags)
	if now != nil {
		now.listed, now.members = p.listed, p.members.current
	}
	return now, p.wanted
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
