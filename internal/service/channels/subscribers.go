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

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
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

// plan finds out who comes and who goes, and refuses what cannot be done.
func (r subscribers) plan(ctx context.Context, c *subscribersCall) error {
	c.CheckLevels()
	b := relation{c.Base}
	p, err := b.locate(ctx, c.Plan, c.State, c.Replace, c.Diags)
	if err != nil {
		return err
	}
	if c.Save(c.Plan); p == nil || !p.IsKnown || c.Diags.HasError() {
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
	remove := sets.Without(saw, p.Wanted.IDs)
	subscribed.Warn(ctx, c.Meta, p.Wanted, remove, p.view, c.Diags)
	planned := change{meta: c.Meta, view: p.view, channel: p.channel, rights: c.Meta.Run.RightsIn(p.channel), in: saw, add: sets.Without(p.Wanted.IDs, saw), remove: remove, listed: listed}
	planned.check(c.Diags)
	return nil
}

// leavesNew are those who leave a channel by a new resource: the account itself, which is in a private channel that it has
// made. A plan without a prior state lists nobody.
func (subscribers) leavesNew(b relation) []int64 { return []int64{b.Meta.Store.Self().ID} }

// claim refuses a second resource that says who is in the channel.
func (subscribers) claim(b relation, p *subscriptionPlan, diags *diag.Diagnostics) {
	run, channel := &b.Meta.Run, p.channel
	b.register(channel, p.view, p.Wanted.IDs, nil, diags)
	run.Manage(exclusiveKind, channel.ID)
	if run.IsManaged(additiveKind, channel.ID) {
		diags.AddAttributeError(path.Root("channel"), fmt.Sprintf("Two kinds of subscribers of channel %q", channel.Name), bothKinds)
	}
	if !run.Declare(exclusiveKind, channel.ID, fmt.Sprint(p.Wanted.IDs)) {
		diags.AddAttributeError(path.Root("channel"), fmt.Sprintf("Two lists of the subscribers of channel %q", channel.Name),
			"Another zulip_channel_subscribers of this configuration names other people for the same channel, and each apply would undo one of them. Keep one.")
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
	a.decide = func(_ context.Context, now *channelReading, _ *diag.Diagnostics) *change {
		return r.difference(b, now, wanted, r.leavesNew(b))
	}
	if done := a.run(ctx, c.Diags); done {
		subscribed.Settle(c.Plan.users(), a.now.view)
	} else {
		if a.now == nil || len(sets.Without(a.before, a.now.in))+len(sets.Without(a.now.in, a.before)) == 0 {
			return nil // nothing was done: there is nothing to manage
		}
		subscribed.Hold(c.Plan.users(), a.now.in, a.now.view)
	}
	c.Plan.ChannelID = types.Int64Value(channel.ID)
	c.Save(c.Plan)
	return nil
}

// difference is what makes those who are wanted, and are active, the subscribers of a channel.
func (subscribers) difference(b relation, now *channelReading, wanted lookup.ResolvedList, listed []int64) *change {
	var remove []int64
	if !wanted.MayHaveMoved { // else it may be who has another address by now
		remove = slices.DeleteFunc(sets.Without(now.in, wanted.IDs), isBackBy(now.view)) // the next plan lists them
	}
	return &change{
		meta: b.Meta, view: now.view, channel: now.channel, rights: permission.ChannelOf(now.channel), in: now.in,
		add: sets.Without(active(now.view, wanted.IDs), now.in), remove: remove, listed: listed,
	}
}

// isBackBy returns a function that reports whether this run brings somebody back into the channel by reactivating the account.
func isBackBy(view *snapshot.Snapshot) func(id int64) bool {
	return func(id int64) bool { return view.IsPlanned(permission.Principal{Kind: permission.KindUserID, ID: id}) }
}

// read compares who is in the channel with whom the state names.
func (subscribers) read(ctx context.Context, c *subscribersCall) error {
	now, err := relation{c.Base}.refresh(ctx, c.State, c.Forget, c.Diags)
	if err != nil || now == nil {
		return err
	}
	subscribed.Hold(c.State.users(), now.in, now.view)
	c.Save(c.State)
	return nil
}

// update sends the difference between what the plan saw and what it asks, unless somebody has changed it meanwhile.
func (r subscribers) update(ctx context.Context, c *subscribersCall) error {
	b, plan, prior := relation{c.Base}, c.Plan, c.State
	if !plan.Users.Equal(prior.Users) || !plan.UserIDs.Equal(prior.UserIDs) {
		channel, wanted, err := b.find(ctx, plan, c.Diags)
		if err != nil || channel == nil {
			return err
		}
		a := &application{relation: b, id: channel.ID, notify: plan.Tell.ValueBool()}
		a.decide = func(ctx context.Context, now *channelReading, diags *diag.Diagnostics) *change {
			saw := subscribed.Named(prior.users(), now.view).IDs // who is not there any more has not left
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

// changedMeanwhile reports, and says who, if anybody has come or gone since the plan was made who neither was to come nor
// to go.
func (subscribers) changedMeanwhile(ctx context.Context, b relation, now *channelReading, saw, wanted []int64, diags *diag.Diagnostics) bool {
	came := slices.DeleteFunc(sets.Without(now.in, slices.Concat(saw, wanted)), isBackBy(now.view))
	left := sets.Common(sets.Without(saw, now.in), wanted)
	if len(left) > 0 { // whom the server has deactivated meanwhile it does not list any more
		view, err := b.Meta.Store.Fresh(ctx, store.Users)
		if err != nil {
			diags.AddError("Cannot read the users", base.Explain(err))
			return true
		}
		left = active(view, left)
	}
	if len(came)+len(left) == 0 {
		return false
	}
	var text string
	if len(came) > 0 {
		text += fmt.Sprintf("Came since: %s.\n", lookup.UserList.Describe(came, now.view))
	}
	if len(left) > 0 {
		text += fmt.Sprintf("Left since: %s.\n", lookup.UserList.Describe(left, now.view))
	}
	diags.AddAttributeError(path.Root("users"), fmt.Sprintf("The subscribers of channel %q were changed by somebody else after they were planned", now.channel.Name),
		text+"\nNobody was added or taken out. Plan again, and review what the difference is now.")
	return true
}

// importChannel takes the channel's ID, or its name.
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

// whichToUse tells the three ways to say who is in a channel apart.
const whichToUse = `

Which to use:

- ` + "`initial_subscribers`" + ` of ` + "`zulip_channel`" + ` sets who is subscribed to a new channel, on create only: people subscribe and unsubscribe as they like afterwards.
- ` + "`zulip_channel_subscription`" + ` keeps some people subscribed, whoever else is.
- ` + "`zulip_channel_subscribers`" + ` sets exactly who is subscribed, and unsubscribes everybody else.

The last two cannot be used for the same channel: the plan refuses it. With either of them, leave ` + "`initial_subscribers`" + ` of a private channel unset: then the provider's account is subscribed to it and can add the others. To manage the subscribers of a private channel, the provider's account needs access to its messages, so list it among the users, or in ` + "`can_add_subscribers_group`" + `.

A ` + "`zulip_channel_subscription`" + ` that is destroyed unsubscribes those whom it has subscribed; the plan refuses it while another resource lists them for the same channel. To replace it by another resource, let go of it with a ` + "`removed`" + ` block and ` + "`destroy = false`" + `: then nobody leaves. A ` + "`zulip_channel_subscribers`" + ` that is destroyed leaves everybody where they are.

Deactivated people may be listed, and cause no change: the server neither shows nor accepts them, and they are subscribed again when they are reactivated.

User groups: the server subscribes people and bots, not groups. A channel follows a group by reference: ` + "`users = zulip_user_group.press.members`" + `, of several ` + "`users = setunion(zulip_user_group.press.members, zulip_user_group.web.members)`" + `, of a ` + "`zulip_user_group_membership`" + ` its ` + "`members`" + `. Terraform then changes the group first, and the plan lists who comes and who goes. Of a group that is managed elsewhere, or of a role, ` + "`data.zulip_user_group.press.all_members`" + ` has everybody, subgroups included.

If the users are not known at plan, as where a data source has to wait for a resource, the plan could not list who is unsubscribed: then an existing resource changes nobody in this apply, and says so; the next plan lists them.`

// The users are lists although they have no order: of a set the plugin framework compares every element with every
// other, which takes minutes for some thousands.

func exclusiveSchema() schema.Schema {
	attributes := sharedAttributes()
	attributes["users"] = schema.ListAttribute{
		ElementType: types.StringType, Required: true,
		MarkdownDescription: "All subscribers of the channel, by email address or user ID, also as `user:EMAIL` or `user_id:N`: people and bots. `[]` is nobody. The order and repetitions do not matter.",
		Validators:          userElements(),
	}
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Manages all subscribers of a channel: exactly the listed people and bots are subscribed, and everybody else is unsubscribed. If somebody subscribes later by themselves, the next plan proposes to unsubscribe them. If somebody has subscribed or unsubscribed since the plan was made, the apply stops without a change, and the error names them. A new resource takes nobody out of a channel that is there, but the account of the provider: import the channel first, so that the plan lists everybody who leaves.

Only the difference is sent, in at most two requests for any number of people. Destroying the resource leaves the subscriptions as they are.` + whichToUse,
		Attributes: attributes,
	}
}

func additiveSchema() schema.Schema {
	attributes := sharedAttributes()
	attributes["users"] = schema.ListAttribute{
		ElementType: types.StringType, Required: true,
		MarkdownDescription: "Subscribers to keep in the channel, by email address or user ID, also as `user:EMAIL` or `user_id:N`: people and bots. The order and repetitions do not matter.",
		Validators:          userElements(),
	}
	attributes["added_user_ids"] = schema.ListAttribute{
		ElementType: types.Int64Type, Computed: true,
		MarkdownDescription: "User IDs of those whom this resource has subscribed. Only they are unsubscribed when they are removed from `users`, or when the resource is destroyed. Empty after an import.",
	}
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Keeps people and bots subscribed to a channel, beside whoever else is subscribed. If one of them unsubscribes, the next plan proposes to subscribe them again. Destroying the resource unsubscribes those whom it has subscribed. A resource unsubscribes nobody whom another one lists for the same channel: the plan refuses that.

The identity of the resource is the channel, since the users may change. Several resources of this kind for one channel have the same identity. An import by identity imports all subscribers of the channel, none of whom count as subscribed by the resource.` + whichToUse,
		Attributes: attributes,
	}
}

// userElements validates the elements of `users`.
func userElements() []validator.List {
	return []validator.List{listvalidator.ValueStringsAre(validators.Length(1, 0), validators.Person("The server subscribes people and bots. A channel follows a group by reference: "+
		"users = zulip_user_group.NAME.members, or for a role or a group that is managed elsewhere users = data.zulip_user_group.NAME.all_members."))}
}

// sharedAttributes are what both resources have.
func sharedAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"channel": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "ID of the channel, as in `zulip_channel.x.id`, or its name. Write `name:2024` for a channel whose name is a number. Changing this forces a new resource.",
		},
		"channel_id": schema.Int64Attribute{
			Computed: true, MarkdownDescription: "ID of the channel.",
			PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
		},
		"user_ids": subscribed.IDsAttribute(),
		"send_new_subscription_messages": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether people get a message that they were subscribed. Defaults to `false`. The server sends no messages if it subscribes more than 100 at once. Below " + featurelevel.Describe(featurelevel.QuietSubscribing) + " it always sends them, and `false` is refused.",
		},
	}
}

// NewChannelSubscribersList returns the list resource zulip_channel_subscribers: the channels, each of which has
// subscribers.
func NewChannelSubscribersList() list.ListResource {
	return core.NewList(core.List[zulip.Channel]{
		Name: "channel_subscribers", Plural: "channels", Identity: "channel_id",
		ListText: core.ListText{Description: "Lists the channels that are not archived, each as the `zulip_channel_subscribers` that has all its subscribers. Use `zulip_channel` for the channels themselves."},
		Objects: core.FromSnapshot(func(s *snapshot.Snapshot) []*zulip.Channel { return s.Channels().List() }, func(_ *snapshot.Snapshot, channel *zulip.Channel) bool {
			return !channel.IsArchived
		}, store.Channels),
		Key:   func(channel *zulip.Channel) any { return channel.ID },
		Label: func(channel *zulip.Channel, _ *snapshot.Snapshot) string { return channel.Name },
	})
}
