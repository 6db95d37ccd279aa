package channels

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure       = (*subscriptionResource)(nil)
	_ resource.ResourceWithModifyPlan      = (*subscriptionResource)(nil)
	_ resource.ResourceWithImportState     = (*subscriptionResource)(nil)
	_ resource.ResourceWithUpgradeIdentity = (*subscriptionResource)(nil)
)

// subscriptionResource is zulip_channel_subscription: these people are in a channel, whoever else is.
type subscriptionResource struct{ relation }

// NewChannelSubscriptionResource returns zulip_channel_subscription.
func NewChannelSubscriptionResource() resource.Resource { return &subscriptionResource{} }

// additive is the model of zulip_channel_subscription.
type additive struct {
	shared
	Added types.List `tfsdk:"added_user_ids"`
}

func (r *subscriptionResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_channel_subscription"
}

func (r *subscriptionResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = additiveSchema()
}

// IdentitySchema describes what a subscription is recognised by. Version 0 held the users too, who change.
func (r *subscriptionResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Version: 1, Attributes: map[string]identityschema.Attribute{
		"channel_id": identityschema.Int64Attribute{RequiredForImport: true, Description: "ID of the channel."},
	}}
}

// UpgradeIdentity reads an identity of version 0.
func (r *subscriptionResource) UpgradeIdentity(context.Context) map[int64]resource.IdentityUpgrader {
	return base.KeepIdentity()
}

// ModifyPlan finds out who comes and who goes, and refuses what cannot be done.
func (r *subscriptionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	var plan, state additive
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		r.planEnd(ctx, &state, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.CheckLevels(ctx, "zulip_channel_subscription", req.Config, &resp.Diagnostics)
	p := r.locate(ctx, &plan.shared, &state.shared, resp)
	if p == nil {
		plan.Added = types.ListUnknown(types.Int64Type)
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
		return
	}
	leaving := ids{}
	if p.held {
		leaving = numbersIn(state.Added).filter(func(id int64) bool { return !p.wanted.names(id) })
	}
	// Who was deactivated when the list changed could not be unsubscribed, and is back.
	isBack := func(id int64) bool { return p.same && plan.Tell.Equal(state.Tell) && isActive(p.view, id) }
	back := leaving.filter(isBack)
	if plan.Added = types.ListUnknown(types.Int64Type); p.same && len(back) == 0 {
		plan.Added = state.Added
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	r.Meta.Run.Manage(additiveKind, p.channel.ID)
	if r.Meta.Run.IsManaged(exclusiveKind, p.channel.ID) {
		resp.Diagnostics.AddAttributeError(path.Root("channel"), fmt.Sprintf("Two kinds of subscribers of channel %q", p.channel.Name), bothKinds)
	}
	p.wanted.reportAbsent(ctx, r.Meta, leaving.sorted(), p.view, &resp.Diagnostics)
	p.wanted.warnOfDeactivated(p.view, &resp.Diagnostics)
	if len(back) > 0 {
		resp.Diagnostics.AddAttributeWarning(path.Root("users"), fmt.Sprintf("%d will be unsubscribed from channel %q", len(back), p.channel.Name),
			fmt.Sprintf("The resource has subscribed them, and the users do not name them any more; they could not be unsubscribed while they were deactivated: %s.",
				lookup.UserList.Describe(back.sorted(), p.view)))
	}
	if plan.Added.IsUnknown() {
		r.check(ctx, p.view, p.channel, p.wanted, leaving, &resp.Diagnostics)
	} else {
		r.register(p.channel, p.view, p.wanted.active, nil, &resp.Diagnostics)
	}
}

// check refuses what the server would refuse: to add those of the wanted who are not in the channel, and to take others
// out who are.
func (r *subscriptionResource) check(ctx context.Context, view *snapshot.Snapshot, channel *zulip.Channel, wanted people, leaving ids, diags *diag.Diagnostics) {
	in, ok := r.subscribers(ctx, channel, diags)
	if !ok {
		return
	}
	remove := leaving.and(in)
	r.register(channel, view, wanted.active, setOf(remove), diags)
	if wanted.known && !diags.HasError() {
		planned := change{meta: r.Meta, view: view, channel: channel, rights: r.Meta.Run.RightsIn(channel), in: in, add: wanted.active.minus(in), remove: remove, listed: leaving}
		planned.check(diags)
	}
}

// planEnd refuses an end that cannot be.
func (r *subscriptionResource) planEnd(ctx context.Context, state *additive, diags *diag.Diagnostics) {
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		diags.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	channel, ok := view.Channels().ByID(state.ChannelID.ValueInt64())
	if added := numbersIn(state.Added); ok && !channel.IsArchived && len(added) > 0 {
		r.check(ctx, view, channel, people{known: true}, added, diags)
	}
}

// Create adds those who are not in the channel yet. After an error nothing is in the state, whatever was done: an object that
// the CLI replaces is destroyed first, which would take the people out to put them in again.
func (r *subscriptionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan additive
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	channel, wanted := r.locateInApply(ctx, &plan.shared, &resp.Diagnostics)
	if channel == nil {
		return
	}
	a := r.application(channel.ID, wanted.active, ids{}, plan.Tell.ValueBool())
	if done := a.run(ctx, &resp.Diagnostics); !done {
		return
	}
	plan.ChannelID, plan.Added = types.Int64Value(channel.ID), numbersOf(a.added)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ChannelID})...)
}

// application adds who is wanted and active, and takes out those who are to leave, unless another resource of this run lists
// them.
func (r *subscriptionResource) application(channel int64, wanted, leaving ids, notify bool) *application {
	return &application{relation: &r.relation, id: channel, notify: notify, decide: func(_ context.Context, now *channelReading, _ *diag.Diagnostics) *change {
		active := wanted.filter(func(id int64) bool { return isActive(now.view, id) })
		leave := leaving.filter(func(id int64) bool { return !r.isListed(channel, id) })
		return &change{
			meta: r.Meta, view: now.view, channel: now.channel, rights: permission.ChannelOf(now.channel), in: now.in, add: active.minus(now.in), remove: leave.and(now.in), listed: leaving,
		}
	}}
}

// Read drops those who are not in the channel any more.
func (r *subscriptionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state additive
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := state.ChannelID.ValueInt64()
	now, gone := r.lookUp(ctx, id, &resp.Diagnostics)
	if now == nil && !gone {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ChannelID})...)
	if gone {
		tflog.Info(ctx, "The channel is archived or gone: removing the subscription from the state", map[string]any{"channel": id})
		resp.State.RemoveResource(ctx)
		return
	}
	state.Channel = types.StringValue(lookup.KeepChannel(state.Channel.ValueString(), id, now.view))
	state.take(now, peopleOfState(state.Users, now.view).active, numbersIn(state.Added))
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// take makes the users those of some who are in the channel, in the texts that the model has for them, and keeps of those who
// were added who still is in it, or is in it again when reactivated.
func (m *additive) take(now *channelReading, users, added ids) {
	m.Users = lookup.UserList.Keep(m.Users, users.and(now.in), now.view)
	m.Added = numbersOf(stillIn(now, added))
}

func stillIn(now *channelReading, added ids) ids {
	return added.filter(func(id int64) bool { return now.in[id] || !isActive(now.view, id) })
}

// Update adds who is missing, and takes out whom it has added and who is not named any more.
func (r *subscriptionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior additive
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if plan.Added.IsUnknown() {
		channel, wanted := r.locateInApply(ctx, &plan.shared, &resp.Diagnostics)
		if channel == nil {
			return
		}
		added := numbersIn(prior.Added)
		leaving := added.filter(func(id int64) bool { return !wanted.names(id) && !wanted.mayHaveMoved })
		a := r.application(channel.ID, wanted.active, leaving, plan.Tell.ValueBool())
		done := a.run(ctx, &resp.Diagnostics)
		if a.now == nil {
			return // the state stays as it was
		}
		maps.Copy(added, a.added)
		if done {
			plan.Added = numbersOf(stillIn(a.now, added))
		} else {
			users := peopleOfState(prior.Users, a.now.view).active
			maps.Copy(users, wanted.active)
			plan.take(a.now, users, added)
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ChannelID})...)
}

// Delete takes out whom it has added. Where zulip_channel_subscribers has taken over in the same apply, that says who is
// in.
func (r *subscriptionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state additive
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := state.ChannelID.ValueInt64()
	if len(state.Added.Elements()) == 0 || r.Meta.Run.IsManaged(exclusiveKind, id) {
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	if channel, ok := view.Channels().ByID(id); !ok || channel.IsArchived {
		return
	}
	a := r.application(id, ids{}, numbersIn(state.Added), false)
	if done := a.run(ctx, &resp.Diagnostics); !done && a.now != nil {
		state.take(a.now, peopleOfState(state.Users, a.now.view).active, numbersIn(state.Added))
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

// ImportState takes the channel, by ID or name, a slash, and the users with commas between them; by identity, a channel
// with everybody who is in it. Nobody of them counts as added by the resource.
func (r *subscriptionResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	if req.ID == "" {
		r.importUsers(ctx, base.ImportedText(ctx, req, "channel_id", &resp.Diagnostics), nil, resp)
		return
	}
	slash := strings.LastIndex(req.ID, "/")
	if slash <= 0 {
		resp.Diagnostics.AddError("Not the ID of a subscription",
			fmt.Sprintf("%q is not CHANNEL/USER,USER…, as in general/ada@example.com,12: the channel and the users by ID, by name or by address. To manage everybody in a channel, import zulip_channel_subscribers.", req.ID))
		return
	}
	r.importUsers(ctx, req.ID[:slash], strings.Split(req.ID[slash+1:], ","), resp)
}

// importUsers puts into the state users who are in a channel; nil are all.
func (r *subscriptionResource) importUsers(ctx context.Context, channelText string, users []string, resp *resource.ImportStateResponse) {
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	channel := findChannel(view, types.StringValue(channelText), &resp.Diagnostics)
	if channel == nil {
		return
	}
	in, ok := r.subscribers(ctx, channel, &resp.Diagnostics)
	if !ok {
		return
	}
	elements := []attr.Value{}
	if users == nil {
		elements = lookup.UserList.Of(in.sorted(), view).Elements()
	}
	for _, text := range users {
		user, err := lookup.User(view, strings.TrimSpace(text))
		switch {
		case err != nil:
			lookup.AddError(&resp.Diagnostics, path.Root("users"), err, "")
		case user.IsActive && !in[user.ID]:
			resp.Diagnostics.AddAttributeError(path.Root("users"), fmt.Sprintf("%s is not in channel %q", user.Address(), channel.Name),
				"Only what is there can be imported. Leave the user out: the next apply adds whom the configuration names.")
		default:
			elements = append(elements, types.StringValue(strings.TrimSpace(text)))
		}
	}
	found := additive{
		shared: shared{
			Channel: types.StringValue(channelText), ChannelID: types.Int64Value(channel.ID), Users: types.ListValueMust(types.StringType, elements),
		},
		Added: numbersOf(ids{}),
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &found)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{found.ChannelID})...)
}
