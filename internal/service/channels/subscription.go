package channels

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// subscription has the functions of zulip_channel_subscription, which subscribes people and leaves other subscribers
// unchanged.
type subscription struct{}

type subscriptionCall = adapter.Call[additive]

// additive is the model of zulip_channel_subscription.
type additive struct {
	shared

	Added types.List `tfsdk:"added_user_ids"`
}

// NewChannelSubscriptionResource returns zulip_channel_subscription. Version 0 of the identity also had the users,
// which change.
func NewChannelSubscriptionResource() resource.Resource {
	var r subscription
	return adapter.Resource[additive]{
		Name: "channel_subscription", Schema: additiveSchema,
		Identity: adapter.Identity{{"channel_id", "ID of the channel."}}, WasLonger: true,
		Plan: r.plan, PlanDestroy: r.planDestroy,
		Create: r.create, Read: r.read, Update: r.update, Delete: r.delete, Import: r.importUsers,
	}.New()
}

// plan determines the users to subscribe and to unsubscribe, and refuses impossible changes.
func (r subscription) plan(ctx context.Context, c *subscriptionCall) error {
	c.CheckLevels()
	b, plan, state := relation{c.Base}, c.Plan, &additive{}
	var prior *shared
	if c.State != nil {
		state, prior = c.State, &c.State.shared
	}
	p, err := b.locate(ctx, &plan.shared, prior, c.Replace, c.Diags)
	if err != nil {
		return err
	}
	plan.Added = types.ListUnknown(types.Int64Type)
	if p.channel == nil {
		c.Save(plan)
		return nil
	}
	var leaving []int64
	if p.isHeld {
		leaving = sets.Without(numbersIn(state.Added), slices.Concat(p.Wanted.IDs, p.Wanted.Deactivated))
	}
	// Users who were deactivated when the list changed could not be unsubscribed, and are subscribers again.
	var back []int64
	if p.IsSame && plan.Tell.Equal(state.Tell) {
		if back = active(p.view, leaving); len(back) > 0 {
			subscribed.PlanIDs(plan.users(), state.users(), true, p.view)
		}
	}
	if p.IsSame && len(back) == 0 {
		plan.Added = state.Added
	}
	c.Save(plan)
	c.Meta.Run.Note(runstate.Managed, runstate.ID(additiveKind, p.channel.ID))
	if c.Meta.Run.Knows(runstate.Managed, runstate.ID(exclusiveKind, p.channel.ID)) {
		c.Diags.AddAttributeError(path.Root("channel"), fmt.Sprintf("Two resources manage the subscribers of channel %q", p.channel.Name), bothKinds)
	}
	subscribed.Warn(p.Wanted, leaving, p.view, c.Diags)
	if len(back) > 0 {
		c.Diags.AddAttributeWarning(path.Root("users"), "Reactivated users will be unsubscribed",
			fmt.Sprintf("The resource subscribed these users to channel %q, but users no longer lists them. They could not be unsubscribed while they were deactivated: %s.",
				p.channel.Name, lookup.UserList.Describe(back, p.view)))
	}
	if plan.Added.IsUnknown() {
		return r.check(ctx, b, p, leaving, c.Diags)
	}
	b.register(p.channel, p.view, p.Wanted.IDs, nil, c.Diags)
	return nil
}

// check refuses a change that the server would refuse: subscribing wanted users who are not in the channel, or
// unsubscribing others who are.
func (subscription) check(ctx context.Context, b relation, p *subscriptionPlan, leaving []int64, diags *diag.Diagnostics) error {
	in, err := b.subscribers(ctx, p.channel)
	if err != nil {
		return err
	}
	remove := sets.Common(leaving, in)
	b.register(p.channel, p.view, p.Wanted.IDs, remove, diags)
	if p.IsKnown && !diags.HasError() {
		planned := subscriberChange{meta: b.Meta, view: p.view, channel: p.channel, facts: b.Meta.Run.PermissionsIn(p.channel), in: in, add: sets.Without(p.Wanted.IDs, in), remove: remove, listed: leaving}
		planned.plan(ctx, diags)
	}
	return nil
}

// planDestroy refuses a destroy that would fail.
func (r subscription) planDestroy(ctx context.Context, c *subscriptionCall) error {
	view, err := c.Read("the organization", store.Channels)
	if err != nil {
		return err
	}
	channel, ok := view.Channels().ByID(c.State.ChannelID.ValueInt64())
	if added := numbersIn(c.State.Added); ok && !channel.IsArchived && len(added) > 0 {
		p := &subscriptionPlan{view: view, channel: channel}
		p.IsKnown = true
		return r.check(ctx, relation{c.Base}, p, added, c.Diags)
	}
	return nil
}

// create subscribes the missing users. After an error nothing is in the state, whatever was done. Otherwise Terraform
// would destroy the tainted object, and so unsubscribe people only to subscribe them again.
func (r subscription) create(ctx context.Context, c *subscriptionCall) error {
	b := relation{c.Base}
	channel, wanted, err := b.find(ctx, &c.Plan.shared, c.Diags)
	if err != nil || channel == nil {
		return err
	}
	a := r.application(b, channel.ID, wanted.IDs, nil, c.Plan.Tell.ValueBool())
	if done := a.run(ctx, c.Diags); !done {
		return nil
	}
	c.Plan.ChannelID, c.Plan.Added = types.Int64Value(channel.ID), numbersOf(a.added)
	subscribed.Settle(c.Plan.users(), a.now.view)
	c.Save(c.Plan)
	return nil
}

// application subscribes the wanted active users, and unsubscribes the leaving ones, unless another resource of this
// run lists them.
func (subscription) application(b relation, channel int64, wanted, leaving []int64, notify bool) *application {
	return &application{relation: b, id: channel, notify: notify, decide: func(_ context.Context, now *channelReading, _ *diag.Diagnostics) *subscriberChange {
		leave := slices.DeleteFunc(slices.Clone(leaving), func(id int64) bool { return b.isListed(channel, id) })
		return &subscriberChange{
			meta: b.Meta, view: now.view, channel: now.channel, facts: permission.ChannelOf(now.channel), in: now.in,
			add: sets.Without(active(now.view, wanted), now.in), remove: sets.Common(leave, now.in), listed: leaving,
		}
	}}
}

// read drops users who are no longer in the channel.
func (subscription) read(ctx context.Context, c *subscriptionCall) error {
	now, err := relation{c.Base}.refresh(ctx, &c.State.shared, c.Forget, c.Diags)
	if err != nil || now == nil {
		return err
	}
	c.State.hold(now, subscribed.Named(c.State.users(), now.view).IDs, numbersIn(c.State.Added))
	c.Save(c.State)
	return nil
}

// hold sets the users of the model to those of users who are subscribed, in the model's texts. It keeps those of
// added who are subscribed, or will be when reactivated.
func (m *additive) hold(now *channelReading, users, added []int64) {
	subscribed.Hold(m.users(), sets.Common(users, now.in), now.view)
	m.Added = numbersOf(stillIn(now, added))
}

func stillIn(now *channelReading, added []int64) []int64 {
	return sets.Without(added, active(now.view, sets.Without(added, now.in)))
}

// update subscribes the missing users, and unsubscribes those that it has added and that are no longer listed.
func (r subscription) update(ctx context.Context, c *subscriptionCall) error {
	b, plan, prior := relation{c.Base}, c.Plan, c.State
	if plan.Added.IsUnknown() {
		channel, wanted, err := b.find(ctx, &plan.shared, c.Diags)
		if err != nil || channel == nil {
			return err
		}
		added := numbersIn(prior.Added)
		var leaving []int64
		if !wanted.MayHaveMoved {
			leaving = sets.Without(added, slices.Concat(wanted.IDs, wanted.Deactivated))
		}
		a := r.application(b, channel.ID, wanted.IDs, leaving, plan.Tell.ValueBool())
		done := a.run(ctx, c.Diags)
		if a.now == nil {
			return nil // the state is unchanged
		}
		added = append(added, sets.Without(a.added, added)...)
		if !done {
			plan.hold(a.now, slices.Concat(subscribed.Named(prior.users(), a.now.view).IDs, wanted.IDs), added)
			c.Save(plan)
			return nil
		}
		plan.Added = numbersOf(stillIn(a.now, added))
		subscribed.Settle(plan.users(), a.now.view)
	}
	c.Save(plan)
	return nil
}

// delete unsubscribes the users that it has added. If zulip_channel_subscribers has taken over in the same apply,
// that resource decides.
func (r subscription) delete(ctx context.Context, c *subscriptionCall) error {
	state, id := c.State, c.State.ChannelID.ValueInt64()
	added := numbersIn(state.Added)
	if len(added) == 0 || c.Meta.Run.Knows(runstate.Managed, runstate.ID(exclusiveKind, id)) {
		return nil
	}
	view, err := c.Read("the organization", store.Channels)
	if err != nil {
		return err
	}
	if channel, ok := view.Channels().ByID(id); !ok || channel.IsArchived {
		return nil
	}
	a := r.application(relation{c.Base}, id, nil, added, false)
	if done := a.run(ctx, c.Diags); !done && a.now != nil {
		state.hold(a.now, subscribed.Named(state.users(), a.now.view).IDs, added)
		c.Save(state)
	}
	return nil
}

// importUsers imports the channel, by ID or name, a slash, and the users, separated by commas. By identity it imports
// a channel with all subscribers. None of them counts as added by the resource.
func (r subscription) importUsers(ctx context.Context, c *subscriptionCall, text string) error {
	view, err := c.Read("the organization", store.Channels)
	if err != nil {
		return err
	}
	channel, channelText, users, err := lookup.Imported(text, func(part string) (*zulip.Channel, error) { return findChannel(view, types.StringValue(part)) })
	switch {
	case !c.IsByIdentity && users == "":
		return base.Refused(path.Empty(), "Invalid ID of a subscription",
			fmt.Sprintf("%q is not CHANNEL/USER,USER…, as in general/ada@example.com,12. Name the channel by ID or name, and users by ID or email. To manage all subscribers of a channel, import zulip_channel_subscribers.", text))
	case err != nil:
		return err
	}
	in, err := relation{c.Base}.subscribers(ctx, channel)
	if err != nil {
		return err
	}
	found := additive{shared: shared{Channel: types.StringValue(channelText), ChannelID: types.Int64Value(channel.ID)}, Added: numbersOf(nil)}
	if found.Users = lookup.UserList.Of(in, view); !c.IsByIdentity {
		found.Users = r.named(strings.Split(users, ","), in, channel, view, c.Diags)
	}
	subscribed.Settle(found.users(), view)
	c.Save(&found)
	return nil
}

// named returns the list of some users, and reports those who are not subscribed.
func (subscription) named(texts []string, in []int64, channel *zulip.Channel, view *snapshot.Snapshot, diags *diag.Diagnostics) types.List {
	elements := []attr.Value{}
	for _, text := range texts {
		user, err := lookup.User(view, strings.TrimSpace(text))
		switch {
		case err != nil:
			lookup.AddError(diags, path.Root("users"), err, "")
		case user.IsActive && !slices.Contains(in, user.ID):
			diags.AddAttributeError(path.Root("users"), fmt.Sprintf("%s is not subscribed to channel %q", user.Address(), channel.Name),
				"Only existing subscriptions can be imported. Remove the user from the ID. The next apply subscribes the users whom the configuration lists.")
		default:
			elements = append(elements, types.StringValue(strings.TrimSpace(text)))
		}
	}
	return types.ListValueMust(types.StringType, elements)
}

// numbersOf writes IDs as a list, ascending.
func numbersOf(ids []int64) types.List {
	elements := make([]attr.Value, 0, len(ids))
	for _, id := range slices.Sorted(slices.Values(ids)) {
		elements = append(elements, types.Int64Value(id))
	}
	return types.ListValueMust(types.Int64Type, elements)
}

// numbersIn reads a list of IDs.
func numbersIn(list types.List) (ids []int64) {
	for _, element := range list.Elements() {
		if id, ok := element.(types.Int64); ok && !id.IsUnknown() {
			ids = append(ids, id.ValueInt64())
		}
	}
	return ids
}
