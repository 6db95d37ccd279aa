package channels

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// subscribers has the functions of zulip_channel_subscribers: exactly these people are in a channel.
type subscribers struct{}

type subscribersCall = adapter.Call[shared]

// NewChannelSubscribersResource returns zulip_channel_subscribers.
func NewChannelSubscribersResource() resource.Resource {
	var r subscribers
	return adapter.Resource[shared]{
		Name: "channel_subscribers", Schema: exclusiveSchema,
		Identity: adapter.Identity{{"channel_id", "ID of the channel."}},
		Plan:     r.plan, Create: r.create, Read: r.read, Update: r.update, Import: r.importChannel,
		Stays: "The subscribers of the channel stay, and are not managed any more",
	}.New()
}

// plan determines the users to subscribe and to unsubscribe, and refuses impossible changes.
func (r subscribers) plan(ctx context.Context, c *subscribersCall) error {
	c.CheckLevels()
	b := relation{c.Base}
	p, err := b.locate(ctx, c.Plan, c.State, c.Replace, c.Diags)
	if err != nil {
		return err
	}
	if c.Save(c.Plan); !p.IsKnown || c.Diags.HasError() {
		return nil
	}
	if p.channel == nil {
		if sealed := c.Meta.NewChannels(runstate.Sealed, c.Plan.Channel); sealed != "" && !slices.Contains(p.Wanted.IDs, c.Meta.Store.Self().ID) {
			warnOfSealed(c.Base, "users", sealed, c.Diags)
		}
		return nil
	}
	r.claim(b, p, c.Diags)
	saw, listed := p.Before.IDs, p.Before.IDs
	if !p.isHeld {
		if saw, err = b.subscribers(ctx, p.channel); err != nil {
			return err
		}
		listed = r.leavesNew(b)
	}
	unlisted := sets.Without(saw, p.Wanted.IDs)
	remove := b.withoutBrought(p.channel, unlisted)
	subscribed.Warn(p.Wanted, remove, p.view, c.Diags)
	if joins := accounts.Close(c.Meta, p.channel, p.Wanted.WithoutID()); joins || p.channel.IsDefault && len(unlisted) > 0 {
		summary, detail := accounts.NewInDefaultChannel(p.channel.Name)
		c.Diags.AddAttributeWarning(path.Root("users"), summary, detail)
	}
	planned := subscriberChange{meta: c.Meta, view: p.view, channel: p.channel, facts: c.Meta.Run.PermissionsIn(p.channel), in: saw, add: sets.Without(p.Wanted.IDs, saw), remove: remove, listed: listed}
	planned.plan(ctx, c.Diags)
	return nil
}

// leavesNew returns the users that a new resource unsubscribes: only the account itself, which is in a private
// channel that it has created. A plan without a prior state lists no one.
func (subscribers) leavesNew(b relation) []int64 { return []int64{b.Meta.Store.Self().ID} }

// claim refuses a second resource that lists the subscribers of the channel.
func (subscribers) claim(b relation, p *subscriptionPlan, diags *diag.Diagnostics) {
	run, channel := &b.Meta.Run, p.channel
	b.register(channel, p.view, p.Wanted.IDs, nil, diags)
	run.Note(runstate.Managed, runstate.ID(exclusiveKind, channel.ID))
	if run.Knows(runstate.Managed, runstate.ID(additiveKind, channel.ID)) {
		diags.AddAttributeError(path.Root("channel"), fmt.Sprintf("Two resources manage the subscribers of channel %q", channel.Name), bothKinds)
	}
	if !run.Declare(runstate.ID(exclusiveKind, channel.ID), runstate.Accounts(p.Wanted.AccountKeys(p.view))) {
		diags.AddAttributeError(path.Root("channel"), fmt.Sprintf("Duplicate list of subscribers of channel %q", channel.Name),
			"Another zulip_channel_subscribers of this configuration lists other people for the same channel, so each apply would undo the change of the other. Keep one of them.")
	}
}

// create brings the channel to exactly these people.
func (r subscribers) create(ctx context.Context, c *subscribersCall) error {
	b := relation{c.Base}
	channel, wanted, err := b.find(ctx, c.Plan, c.Diags)
	if err != nil || channel == nil {
		return err
	}
	a := &application{relation: b, id: channel.ID, notify: c.Plan.Tell.ValueBool()}
	a.decide = func(_ context.Context, now *channelReading, _ *diag.Diagnostics) *subscriberChange {
		return r.difference(b, now, wanted, r.leavesNew(b))
	}
	if done := a.run(ctx, c.Diags); done {
		subscribed.Settle(c.Plan.users(), a.now.view)
	} else {
		if a.now == nil || len(sets.Without(a.before, a.now.in))+len(sets.Without(a.now.in, a.before)) == 0 {
			return nil // nothing was done, so nothing is managed
		}
		subscribed.Hold(c.Plan.users(), a.now.in, a.now.view)
	}
	c.Plan.ChannelID = types.Int64Value(channel.ID)
	c.Save(c.Plan)
	return nil
}

// difference returns the change after which the wanted active users are the subscribers of a channel.
func (subscribers) difference(b relation, now *channelReading, wanted lookup.ResolvedList, listed []int64) *subscriberChange {
	known, place := &b.Meta.Run.Effects, placeOf(now.channel)
	var remove []int64
	if !wanted.MayHaveMoved { // otherwise it may be a person with another email now
		remove = b.withoutBrought(now.channel, sets.Without(now.in, wanted.IDs))
	}
	return &subscriberChange{
		meta: b.Meta, view: now.view, channel: now.channel, facts: permission.ChannelOf(now.channel), in: now.in,
		add: sets.Without(known.After(place, active(now.view, wanted.IDs), nil), now.in), remove: remove, listed: listed,
	}
}

// read compares the subscribers with those in the state.
func (subscribers) read(ctx context.Context, c *subscribersCall) error {
	now, err := relation{c.Base}.refresh(ctx, c.State, c.Forget, c.Diags)
	if err != nil || now == nil {
		return err
	}
	subscribed.Hold(c.State.users(), now.in, now.view)
	c.Save(c.State)
	return nil
}

// update sends the difference between the prior and the planned subscribers, unless there is a conflict.
func (r subscribers) update(ctx context.Context, c *subscribersCall) error {
	b, plan, prior := relation{c.Base}, c.Plan, c.State
	if !plan.Users.Equal(prior.Users) || !plan.UserIDs.Equal(prior.UserIDs) {
		channel, wanted, err := b.find(ctx, plan, c.Diags)
		if err != nil || channel == nil {
			return err
		}
		a := &application{relation: b, id: channel.ID, notify: plan.Tell.ValueBool()}
		a.decide = func(ctx context.Context, now *channelReading, diags *diag.Diagnostics) *subscriberChange {
			before := subscribed.Named(prior.users(), now.view)
			saw := slices.Concat(before.IDs, before.Deactivated)
			if r.changedMeanwhile(ctx, b, now, saw, wanted.IDs, diags) {
				return nil
			}
			return r.difference(b, now, wanted, saw)
		}
		switch done := a.run(ctx, c.Diags); {
		case done:
			subscribed.Settle(plan.users(), a.now.view)
		case a.now == nil:
			return nil
		default:
			plan = prior
			subscribed.Hold(plan.users(), a.now.in, a.now.view)
		}
	}
	c.Save(plan)
	return nil
}

// changedMeanwhile reports an error about users who were subscribed or unsubscribed after the plan was made, if no plan
// lists them.
func (subscribers) changedMeanwhile(ctx context.Context, b relation, now *channelReading, saw, wanted []int64, diags *diag.Diagnostics) bool {
	differ := func(known *effects.Log) (came, left []int64) {
		place := placeOf(now.channel)
		in, before := known.After(place, now.in, nil), known.After(place, saw, now.in)
		return sets.Without(in, slices.Concat(before, wanted)), sets.Common(sets.Without(before, in), wanted)
	}
	came, left := differ(&b.Meta.Run.Effects)
	if len(came)+len(left) == 0 {
		return false
	}
	known, err := b.Meta.Effects(ctx, slices.Concat(came, left))
	if err != nil {
		diags.AddError("Cannot read the users", base.Explain(err))
		return true
	}
	if came, left = differ(known); len(came)+len(left) == 0 {
		return false
	}
	var text string
	if len(came) > 0 {
		text += fmt.Sprintf("Subscribed since: %s.\n", lookup.UserList.Describe(came, now.view))
	}
	if len(left) > 0 {
		text += fmt.Sprintf("Unsubscribed since: %s.\n", lookup.UserList.Describe(left, now.view))
	}
	diags.AddAttributeError(path.Root("users"), base.ChangedAfterPlan(fmt.Sprintf("the list of subscribers of channel %q", now.channel.Name)),
		text+"\nNothing was changed. Plan again and review the new difference.")
	return true
}

// importChannel imports by the channel's ID or name.
func (subscribers) importChannel(_ context.Context, c *subscribersCall, text string) error {
	view, err := c.Read("the channels", store.Channels)
	if err != nil {
		return err
	}
	channel, err := findChannel(view, types.StringValue(text))
	if err != nil {
		return err
	}
	c.SaveAttribute("channel", text)
	c.SaveAttribute("channel_id", channel.ID)
	return nil
}

// The users are lists without a meaningful order. The plugin framework compares every element of a set with every
// other, which takes minutes for thousands of users.

func exclusiveSchema() schema.Schema {
	attributes := sharedAttributes()
	attributes["users"] = schema.ListAttribute{
		ElementType: types.StringType, Required: true,
		MarkdownDescription: "Emails or user IDs of all subscribers, also as `user:EMAIL` or `user_id:N`. `[]` unsubscribes everyone. Order and repetitions don't matter.",
		Validators:          userElements(),
	}
	return schema.Schema{
		Version:             base.ListSchemaVersion,
		MarkdownDescription: "Manages all [subscribers](https://zulip.com/help/manage-user-channel-subscriptions) of a channel: the listed users and bots are subscribed, and everyone else is unsubscribed.",
		Attributes:          attributes,
	}
}

func additiveSchema() schema.Schema {
	attributes := sharedAttributes()
	attributes["users"] = schema.ListAttribute{
		ElementType: types.StringType, Required: true,
		MarkdownDescription: "Emails or user IDs of users and bots to keep subscribed, also as `user:EMAIL` or `user_id:N`. Order and repetitions don't matter.",
		Validators:          userElements(),
	}
	attributes["added_user_ids"] = schema.ListAttribute{
		ElementType: types.Int64Type, Computed: true,
		MarkdownDescription: "IDs of the users that this resource subscribed. Only they are unsubscribed when they are removed from `users` or the resource is destroyed. Empty after an import.",
	}
	return schema.Schema{
		Version:             base.ListSchemaVersion,
		MarkdownDescription: "Keeps users and bots [subscribed](https://zulip.com/help/manage-user-channel-subscriptions) to a channel, in addition to its other subscribers.",
		Attributes:          attributes,
	}
}

// userElements validates the elements of `users`.
func userElements() []validator.List {
	return []validator.List{listvalidator.ValueStringsAre(validators.Length(1, 0), validators.Person("The server subscribes people and bots. To subscribe the members of a group, reference them: "+
		"users = zulip_user_group.NAME.members. For a role, or a group that this configuration does not manage, use data.zulip_user_group.NAME.all_members."))}
}

// sharedAttributes returns the attributes of both resources.
func sharedAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"channel": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "ID of the channel, such as `zulip_channel.x.id`, or its name. Write `name:2024` for a channel whose name is a number. Changing it forces replacement.",
		},
		"channel_id": schema.Int64Attribute{
			Computed: true, MarkdownDescription: "ID of the channel.",
			PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
		},
		"user_ids": subscribed.IDsAttribute(),
		"send_new_subscription_messages": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "If true, new subscribers get a message. The server sends none if it subscribes more than 100 users in one request. Defaults to `false`. Setting `false` requires " + featurelevel.Describe(featurelevel.QuietSubscribing) + "; older servers always send messages.",
		},
	}
}

// NewChannelSubscribersList returns the list resource zulip_channel_subscribers: the channels, each of which has
// subscribers.
func NewChannelSubscribersList() list.ListResource {
	return core.NewList(core.ListDefinition[zulip.Channel]{
		Name: "channel_subscribers", Plural: "channels", Identity: "channel_id",
		ListText: core.ListText{Description: "Lists the subscribers of all active channels as `zulip_channel_subscribers`."},
		Objects: core.FromSnapshot(func(s *snapshot.Snapshot) []*zulip.Channel { return s.Channels().List() }, func(_ *snapshot.Snapshot, channel *zulip.Channel) bool {
			return !channel.IsArchived
		}, store.Channels),
		Key:   func(channel *zulip.Channel) any { return channel.ID },
		Label: func(channel *zulip.Channel, _ *snapshot.Snapshot) string { return channel.Name },
	})
}
