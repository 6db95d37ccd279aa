// Package subscription is the resources zulip_channel_subscribers, which manages everybody in a channel, and
// zulip_channel_subscription, which manages some people among others.
//
// A plan finds out who comes and who goes ([relation.locate]) and checks the [change]. An apply is an [application]: it reads
// the channel, lets the resource decide, checks again, sends one request, and reads what that has done.
package subscription

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// What a resource of one of the two kinds registers about a channel, so that both are not used on the same.
const (
	exclusiveKind = "zulip_channel_subscribers"
	additiveKind  = "zulip_channel_subscription"
)

// relation is what both resources share.
type relation struct{ base.Resource }

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
	// held reports whether the state is about the same channel, same whether it names the same people.
	held, same bool
}

// locate finds the channel and the people of a plan, and puts into the plan what follows: the texts of the state where
// they name the same, and the channel's ID. It returns nil while the channel is not known, or cannot be found.
func (b *relation) locate(ctx context.Context, plan, state *shared, resp *resource.ModifyPlanResponse) *planning {
	view, err := b.Meta.Store.ReadNaming(ctx, lookup.Names(plan.Users.Elements()), store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
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
	if lookup.UserList.MustWait(plan.Users, state.Users, view) {
		resp.Diagnostics.AddAttributeWarning(path.Root("users"), fmt.Sprintf("The subscribers of channel %q wait for the next apply", p.channel.Name),
			"Who they are to be is known only after this apply, so this plan cannot list who would be unsubscribed. Nothing of this resource changes now; plan again after the apply. "+
				"The members of a user group that this configuration manages are known at plan: zulip_user_group.NAME.members.")
		*plan = *state // all of it: the apply plans again, and may know the users then
	}
	before := peopleOfState(state.Users, view)
	plan.Users = lookup.UserList.KeepPrior(plan.Users, state.Users, view)
	if p.before, p.same = before.active, plan.Users.Equal(state.Users); p.same {
		p.wanted = before
	}
	return p
}

// locateInApply finds the channel of a plan and whom it names; nil after an error.
func (b *relation) locateInApply(ctx context.Context, plan *shared, diags *diag.Diagnostics) (*zulip.Channel, people) {
	view, err := b.Meta.Store.ReadNaming(ctx, lookup.Names(plan.Users.Elements()), store.Channels)
	if err != nil {
		diags.AddError("Cannot read the organization", base.Explain(err))
		return nil, people{}
	}
	channel, wanted := findChannel(view, plan.Channel, diags), peopleIn(plan.Users, view, diags)
	if !wanted.known {
		diags.AddAttributeError(path.Root("users"), "Somebody is still not in the organization",
			fmt.Sprintf("The plan was to create or to reactivate %s before. Refer to the resource that does, so that Terraform knows the order.", cmp.Or(strings.Join(wanted.planned, ", "), "an account")))
	}
	if diags.HasError() {
		return nil, people{}
	}
	return channel, wanted
}

// findChannel finds the channel a resource is about, and reports why there is none.
func findChannel(view *snapshot.Snapshot, text types.String, diags *diag.Diagnostics) *zulip.Channel {
	channel, err := lookup.Channel(view, text.ValueString())
	switch {
	case err != nil:
		diags.AddAttributeError(path.Root("channel"), "No such channel",
			base.Sentence(err)+"\n\nIf this configuration creates the channel, write zulip_channel.NAME.id: its ID is not known before, so that the channel comes first.")
		return nil
	case channel.IsArchived:
		diags.AddAttributeError(path.Root("channel"), "The channel is archived",
			fmt.Sprintf("Nobody enters %q. A zulip_channel with its name and adopt_archived = true unarchives it; refer to it here, so that it comes first.", channel.Name))
		return nil
	}
	return channel
}

// subscribers returns who is in a channel, as read once in this run. It is an error that the account cannot see them.
func (b *relation) subscribers(ctx context.Context, channel *zulip.Channel, diags *diag.Diagnostics) (in ids, ok bool) {
	list, err := b.Meta.Store.Subscribers(ctx, channel.ID)
	switch {
	case err != nil:
		diags.AddError(fmt.Sprintf("Cannot read the subscribers of channel %q", channel.Name), base.Explain(err))
	case list == nil:
		diags.AddAttributeError(path.Root("channel"), fmt.Sprintf("Cannot read the subscribers of channel %q", channel.Name), cannotSee)
	}
	return setOf(list), err == nil && list != nil
}

// lookUp reads a channel and who is in it, once in this run. gone reports that it is archived or gone; without that and without
// a reading there is an error, or one was reported before: see [base.Meta.MayRemove].
func (b *relation) lookUp(ctx context.Context, id int64, diags *diag.Diagnostics) (now *channelReading, gone bool) {
	// First, for the channels may come with them.
	in, err := b.Meta.Store.Subscribers(ctx, id)
	if err != nil {
		diags.AddError("Cannot read the subscribers", base.Explain(err))
		return nil, false
	}
	names := make([]string, len(in))
	for i, id := range in {
		names[i] = strconv.FormatInt(id, 10)
	}
	view, err := b.Meta.Store.ReadNaming(ctx, names, store.Channels)
	if err != nil {
		diags.AddError("Cannot read the organization", base.Explain(err))
		return nil, false
	}
	channel, ok := view.Channels().ByID(id)
	switch {
	case !ok && !b.Meta.MayRemove(b.Meta.SeesAll(), fmt.Sprintf("channel %d", id), diags):
		return nil, false
	case !ok, channel.IsArchived: // from feature level 480 on servers tell who is in an archived one all the same
		return nil, true
	case in == nil:
		diags.AddError(fmt.Sprintf("Cannot read the subscribers of channel %q", channel.Name), cannotSee)
		return nil, false
	}
	return &channelReading{view, channel, setOf(in)}, false
}

const cannotSee = "The server does not tell the account the provider uses who is subscribed to it."

const bothKinds = "zulip_channel_subscribers says who is in the channel, and nobody else; zulip_channel_subscription adds people to whoever is in. Of one channel, the first would take out whom the second adds. Keep one of the two kinds."

// subscriberKind is what the run state knows the people as whom resources list for a channel.
func subscriberKind(channel int64) string { return fmt.Sprint("subscriber of channel ", channel) }

// register tells the run whom a resource lists for a channel, and whom it takes out, and refuses the plan if another
// resource takes out whom this one lists, or the other way round: which of them the CLI applies first is not known.
func (b *relation) register(channel *zulip.Channel, view *snapshot.Snapshot, listed, leaving ids, diags *diag.Diagnostics) {
	run, kind, both := &b.Meta.Run, subscriberKind(channel.ID), ids{}
	for id := range listed {
		run.Manage(kind, id)
		both[id] = run.WillBeDestroyed(kind, id)
	}
	for id := range leaving {
		run.WillDestroy(kind, id)
		both[id] = run.IsManaged(kind, id)
	}
	if both = both.filter(func(id int64) bool { return both[id] }); len(both) == 0 {
		return
	}
	diags.AddAttributeError(path.Root("users"), fmt.Sprintf("One resource unsubscribes from channel %q whom another lists", channel.Name),
		fmt.Sprintf("A zulip_channel_subscription that is destroyed, or lists them no more, unsubscribes %s, whom another resource lists for the same channel. In one apply they would be out and in again, or only out.\n\n", lookup.UserList.Describe(both.sorted(), view))+
			"To hand them over, let go of the first resource without destroying it, and import it again if it goes on: an imported one unsubscribes nobody.\n\n"+
			"  removed {\n    from = zulip_channel_subscription.NAME\n    lifecycle {\n      destroy = false\n    }\n  }\n\nIf it was only renamed in the configuration, add a moved block instead.")
}

// isListed reports whether a resource of this run lists somebody for a channel.
func (b *relation) isListed(channel, user int64) bool {
	return b.Meta.Run.IsManaged(subscriberKind(channel), user)
}
