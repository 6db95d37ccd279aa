package channels

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

var (
	_ resource.ResourceWithConfigure   = (*subscribersResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*subscribersResource)(nil)
	_ resource.ResourceWithImportState = (*subscribersResource)(nil)
	_ resource.ResourceWithIdentity    = (*subscribersResource)(nil)
)

// subscribersResource is zulip_channel_subscribers: exactly these people are in a channel.
type subscribersResource struct{ relation }

// NewChannelSubscribersResource returns zulip_channel_subscribers.
func NewChannelSubscribersResource() resource.Resource { return &subscribersResource{} }

// exclusive is the model of zulip_channel_subscribers.
type exclusive struct{ shared }

// identity is what the resource of either kind is recognised by: the channel. Who is in it changes.
type identity struct {
	ChannelID types.Int64 `tfsdk:"channel_id"`
}

func (r *subscribersResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_channel_subscribers"
}

func (r *subscribersResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = exclusiveSchema()
}

// IdentitySchema describes what the subscribers of a channel are recognised by.
func (r *subscribersResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"channel_id": identityschema.Int64Attribute{RequiredForImport: true, Description: "ID of the channel."},
	}}
}

// ModifyPlan finds out who comes and who goes, and refuses what cannot be done.
func (r *subscribersResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || !r.CanPlan(&resp.Diagnostics) {
		return
	}
	var plan, state exclusive
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	r.CheckLevels(ctx, "zulip_channel_subscribers", req.Config, &resp.Diagnostics)
	p := r.locate(ctx, &plan.shared, &state.shared, resp)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	if p == nil || !p.wanted.known || resp.Diagnostics.HasError() {
		return
	}
	r.claim(p, &resp.Diagnostics)
	saw, listed := p.before, p.before
	if !p.held {
		in, ok := r.subscribers(ctx, p.channel, &resp.Diagnostics)
		if !ok {
			return
		}
		saw, listed = in, r.leavesNew()
	}
	p.wanted.reportAbsent(ctx, r.Meta, saw.minus(p.wanted.active), p.view, &resp.Diagnostics)
	p.wanted.warnOfDeactivated(p.view, &resp.Diagnostics)
	planned := change{meta: r.Meta, view: p.view, channel: p.channel, rights: r.Meta.Run.RightsIn(p.channel), in: saw, add: p.wanted.active.minus(saw), remove: saw.minus(p.wanted.active), listed: listed}
	planned.check(&resp.Diagnostics)
}

// leavesNew are those who leave a channel by a new resource: the account itself, which is in a private channel that it has
// made. A plan without a prior state lists nobody.
func (r *subscribersResource) leavesNew() ids { return ids{r.Meta.Store.Self().ID: true} }

// claim refuses a second resource that says who is in the channel.
func (r *subscribersResource) claim(p *subscriptionPlanning, diags *diag.Diagnostics) {
	run, channel := &r.Meta.Run, p.channel
	r.register(channel, p.view, p.wanted.active, nil, diags)
	run.Manage(exclusiveKind, channel.ID)
	if run.IsManaged(additiveKind, channel.ID) {
		diags.AddAttributeError(path.Root("channel"), fmt.Sprintf("Two kinds of subscribers of channel %q", channel.Name), bothKinds)
	}
	if !run.Declare(exclusiveKind, channel.ID, fmt.Sprint(p.wanted.active.sorted())) {
		diags.AddAttributeError(path.Root("channel"), fmt.Sprintf("Two lists of the subscribers of channel %q", channel.Name),
			"Another zulip_channel_subscribers of this configuration names other people for the same channel, and each apply would undo one of them. Keep one.")
	}
}

// Create brings the channel to exactly these people.
func (r *subscribersResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan exclusive
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	channel, wanted := r.locateInApply(ctx, &plan.shared, &resp.Diagnostics)
	if channel == nil {
		return
	}
	a := &application{relation: &r.relation, id: channel.ID, notify: plan.Tell.ValueBool()}
	a.decide = func(_ context.Context, now *channelReading, _ *diag.Diagnostics) *change {
		return r.difference(now, wanted, r.leavesNew())
	}
	if done := a.run(ctx, &resp.Diagnostics); !done {
		if a.now == nil || maps.Equal(a.before, a.now.in) {
			return // nothing was done: there is nothing to manage
		}
		plan.take(a.now)
	}
	plan.ChannelID = types.Int64Value(channel.ID)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ChannelID})...)
}

// difference is what makes those who are wanted, and are active, the subscribers of a channel.
func (r *subscribersResource) difference(now *channelReading, wanted people, listed ids) *change {
	active := wanted.active.filter(func(id int64) bool { return isActive(now.view, id) })
	remove := slices.DeleteFunc(now.in.minus(wanted.active), isBackBy(now.view)) // the next plan lists them
	if wanted.mayHaveMoved {
		remove = nil // it may be who has another address by now
	}
	return &change{
		meta: r.Meta, view: now.view, channel: now.channel, rights: permission.ChannelOf(now.channel), in: now.in, add: active.minus(now.in), remove: remove, listed: listed,
	}
}

// isBackBy returns a function that reports whether this run brings somebody back into the channel by reactivating the account.
func isBackBy(view *snapshot.Snapshot) func(id int64) bool {
	return func(id int64) bool { return view.IsPlanned(permission.Principal{Kind: permission.KindUserID, ID: id}) }
}

// Read compares who is in the channel with whom the state names.
func (r *subscribersResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state exclusive
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ChannelID})...)
	id := state.ChannelID.ValueInt64()
	now, gone := r.lookUp(ctx, id, &resp.Diagnostics)
	if now == nil && !gone {
		return
	}
	if gone {
		tflog.Info(ctx, "The channel is archived or gone: removing its subscribers from the state", map[string]any{"channel": id})
		resp.State.RemoveResource(ctx)
		return
	}
	state.Channel = types.StringValue(lookup.KeepChannel(state.Channel.ValueString(), id, now.view))
	state.take(now)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// take makes the users those who are in the channel, in the texts that the model has for them.
func (m *exclusive) take(now *channelReading) {
	m.Users = lookup.UserList.Keep(m.Users, now.in.sorted(), now.view)
}

// Update sends the difference between what the plan saw and what it asks, unless somebody has changed it meanwhile.
func (r *subscribersResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior exclusive
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if !plan.Users.Equal(prior.Users) {
		channel, wanted := r.locateInApply(ctx, &plan.shared, &resp.Diagnostics)
		if channel == nil {
			return
		}
		a := &application{relation: &r.relation, id: channel.ID, notify: plan.Tell.ValueBool()}
		a.decide = func(ctx context.Context, now *channelReading, diags *diag.Diagnostics) *change {
			saw := peopleOfState(prior.Users, now.view).active // who is not there any more has not left
			if r.changedMeanwhile(ctx, now, saw, wanted.active, diags) {
				return nil
			}
			return r.difference(now, wanted, saw)
		}
		if done := a.run(ctx, &resp.Diagnostics); !done {
			if plan = prior; a.now != nil {
				plan.take(a.now)
			}
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{prior.ChannelID})...)
}

// changedMeanwhile reports, and says who, if anybody has come or gone since the plan was made who neither was to come nor
// to go.
func (r *subscribersResource) changedMeanwhile(ctx context.Context, now *channelReading, saw, wanted ids, diags *diag.Diagnostics) bool {
	unforeseen := func(id int64) bool { return saw[id] == wanted[id] }
	came := slices.DeleteFunc(now.in.filter(unforeseen).minus(saw), isBackBy(now.view))
	left := saw.filter(unforeseen).minus(now.in)
	if len(left) > 0 { // whom the server has deactivated meanwhile it does not list any more
		view, err := r.Meta.Store.Fresh(ctx, store.Users)
		if err != nil {
			diags.AddError("Cannot read the users", base.Explain(err))
			return true
		}
		left = slices.DeleteFunc(left, func(id int64) bool { return !isActive(view, id) })
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

// Delete leaves everybody where they are.
func (r *subscribersResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state exclusive
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	tflog.Info(ctx, "The subscribers of the channel stay, and are not managed any more", map[string]any{"channel": state.ChannelID.ValueInt64()})
}

// ImportState takes the channel's ID, or its name.
func (r *subscribersResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	if req.ID == "" {
		var wanted identity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &wanted)...)
		req.ID = fmt.Sprint(wanted.ChannelID.ValueInt64())
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the channels", base.Explain(err))
		return
	}
	channel := findChannel(view, types.StringValue(req.ID), &resp.Diagnostics)
	if channel == nil {
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("channel"), req.ID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("channel_id"), channel.ID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(channel.ID)})...)
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
