package subscription

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure       = (*Subscription)(nil)
	_ resource.ResourceWithModifyPlan      = (*Subscription)(nil)
	_ resource.ResourceWithImportState     = (*Subscription)(nil)
	_ resource.ResourceWithUpgradeIdentity = (*Subscription)(nil)
)

// Subscription is zulip_channel_subscription: these people are in a channel, whoever else is.
type Subscription struct{ relation }

// NewSubscription returns zulip_channel_subscription.
func NewSubscription() resource.Resource { return &Subscription{} }

// additive is the model of zulip_channel_subscription.
type additive struct {
	shared
	Added types.List `tfsdk:"added_user_ids"`
}

// Metadata names the resource.
func (r *Subscription) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_channel_subscription"
}

// Schema describes the resource.
func (r *Subscription) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = additiveSchema()
}

// IdentitySchema describes what a subscription is recognised by. Version 0 held the users too, who change.
func (r *Subscription) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Version: 1, Attributes: map[string]identityschema.Attribute{
		"channel_id": identityschema.Int64Attribute{RequiredForImport: true, Description: "ID of the channel."},
	}}
}

// UpgradeIdentity reads an identity of version 0.
func (r *Subscription) UpgradeIdentity(context.Context) map[int64]resource.IdentityUpgrader {
	return base.KeepIdentity()
}

// ModifyPlan finds out who comes and who goes, and refuses what cannot be done.
func (r *Subscription) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
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
	if plan.Added = types.ListUnknown(types.Int64Type); p != nil && p.same {
		plan.Added = state.Added
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	if p == nil {
		return
	}
	r.Meta.Run.Manage(additiveKind, p.channel.ID)
	if r.Meta.Run.IsManaged(exclusiveKind, p.channel.ID) {
		resp.Diagnostics.AddAttributeError(path.Root("channel"), fmt.Sprintf("Two kinds of subscribers of channel %q", p.channel.Name), bothKinds)
	}
	if p.same || !p.wanted.known || resp.Diagnostics.HasError() {
		return
	}
	end := ids{}
	if p.held {
		end = numbersIn(state.Added).filter(func(id int64) bool { return !p.wanted.names(id) })
	}
	r.check(ctx, p.view, p.channel, p.wanted.active, end, &resp.Diagnostics)
}

// check refuses what the server would refuse: to add those of the wanted who are not in the channel, and to take others
// out who are.
func (r *Subscription) check(ctx context.Context, view *snapshot.Snapshot, channel *zulip.Channel, wanted, end ids, diags *diag.Diagnostics) {
	list, err := r.Meta.Store.Subscribers(ctx, channel.ID)
	if err != nil {
		diags.AddError("Cannot read the subscribers", diagnostics.Explain(err))
		return
	}
	in := setOf(list)
	planned := change{meta: r.Meta, view: view, channel: channel, in: in, add: wanted.minus(in), remove: end.and(in), listed: end}
	planned.check(diags)
}

// planEnd refuses an end that cannot be.
func (r *Subscription) planEnd(ctx context.Context, state *additive, diags *diag.Diagnostics) {
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		diags.AddError("Cannot read the organization", diagnostics.Explain(err))
		return
	}
	if channel, ok := view.Channels().ByID(state.ChannelID.ValueInt64()); ok && !channel.IsArchived {
		r.check(ctx, view, channel, ids{}, numbersIn(state.Added), diags)
	}
}

// Create adds those who are not in the channel yet.
func (r *Subscription) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan additive
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	now, wanted := r.start(ctx, &plan.shared, &resp.Diagnostics)
	if now == nil {
		return
	}
	plan.ChannelID = types.Int64Value(now.channel.ID)
	for id := range wanted.active {
		r.Meta.Run.Adopt(wantedIn(now.channel.ID), id)
	}
	r.apply(ctx, now, &plan, wanted.active, ids{}, ids{}, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ChannelID})...)
}

// apply adds who is wanted and not in the channel, and takes out who is in end. Into the model goes who was added, by
// this apply or before; if not everything was done, also who is in the channel.
func (r *Subscription) apply(ctx context.Context, now *reading, plan *additive, wanted, end, before ids, diags *diag.Diagnostics) {
	add := wanted.minus(now.in)
	done := r.send(ctx, now, add, end.and(now.in), end, plan.Tell.ValueBool(), diags)
	added := before.filter(func(id int64) bool { return !end[id] || now.in[id] })
	maps.Copy(added, setOf(add).filter(func(id int64) bool { return now.in[id] }))
	plan.Added = numbersOf(slices.Sorted(maps.Keys(added)))
	if !done {
		plan.take(now.in, now.view)
	}
}

// Read drops those who are not in the channel any more.
func (r *Subscription) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state additive
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := state.ChannelID.ValueInt64()
	in, view := r.lookUp(ctx, id, &resp.Diagnostics)
	if view == nil {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ChannelID})...)
	if in == nil {
		tflog.Info(ctx, "The channel is archived or gone: removing the subscription from the state", map[string]any{"channel": id})
		resp.State.RemoveResource(ctx)
		return
	}
	state.Channel = types.StringValue(lookup.KeepChannel(state.Channel.ValueString(), id, view))
	state.take(setOf(in), view)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// take drops from the users, and from those who were added, who is not in the channel.
func (m *additive) take(in ids, view *snapshot.Snapshot) {
	kept, _ := stay(m.Users, view, func(id int64) bool { return in[id] })
	m.Users = usersOf(kept)
	added := numbersIn(m.Added).filter(func(id int64) bool {
		user, ok := view.User(id)
		return in[id] || ok && !user.IsActive // who is deactivated is in it again when reactivated
	})
	m.Added = numbersOf(slices.Sorted(maps.Keys(added)))
}

// Update adds who is missing, and takes out whom it has added and who is not named any more.
func (r *Subscription) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior additive
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if plan.Added.IsUnknown() {
		now, wanted := r.start(ctx, &plan.shared, &resp.Diagnostics)
		if now == nil {
			return
		}
		before := numbersIn(prior.Added)
		end := before.filter(func(id int64) bool { return !wanted.names(id) })
		r.apply(ctx, now, &plan, wanted.active, end, before, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ChannelID})...)
}

// wantedIn is what a new subscription takes over the people as whom it names: one that ends in the same run, as with
// create_before_destroy, leaves them.
func wantedIn(channel int64) string { return fmt.Sprint(additiveKind, " ", channel) }

// Delete takes out whom it has added. Where zulip_channel_subscribers has taken over in the same apply, that says who is
// in.
func (r *Subscription) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
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
		resp.Diagnostics.AddError("Cannot read the organization", diagnostics.Explain(err))
		return
	}
	if channel, ok := view.Channels().ByID(id); !ok || channel.IsArchived {
		return
	}
	if now := r.read(ctx, id, &resp.Diagnostics); now != nil {
		end := numbersIn(state.Added).filter(func(user int64) bool { return !r.Meta.Run.IsAdopted(wantedIn(id), user) })
		r.send(ctx, now, nil, end.and(now.in), end, false, &resp.Diagnostics)
	}
}

// ImportState takes the channel, by ID or name, a slash, and the users with commas between them; by identity, a channel
// with everybody who is in it. Nobody of them counts as added by the resource.
func (r *Subscription) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
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
func (r *Subscription) importUsers(ctx context.Context, channelText string, users []string, resp *resource.ImportStateResponse) {
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", diagnostics.Explain(err))
		return
	}
	channel := findChannel(view, types.StringValue(channelText), &resp.Diagnostics)
	if channel == nil {
		return
	}
	list, err := r.Meta.Store.Subscribers(ctx, channel.ID)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the subscribers", diagnostics.Explain(err))
		return
	}
	in := setOf(list)
	elements := []attr.Value{}
	if users == nil {
		for _, id := range list {
			elements = append(elements, types.StringValue(wordsFor(id, view)))
		}
	}
	for _, text := range users {
		user, err := lookup.User(view, strings.TrimSpace(text))
		switch {
		case err != nil:
			resp.Diagnostics.AddAttributeError(path.Root("users"), "Not in the organization", diagnostics.Sentence(err))
		case user.IsActive && !in[user.ID]:
			resp.Diagnostics.AddAttributeError(path.Root("users"), fmt.Sprintf("%s is not in channel %q", user.Address(), channel.Name),
				"Only what is there can be imported. Leave the user out: the next apply adds whom the configuration names.")
		default:
			elements = append(elements, types.StringValue(strings.TrimSpace(text)))
		}
	}
	found := additive{
		shared: shared{
			Channel: types.StringValue(channelText), ChannelID: types.Int64Value(channel.ID), Users: usersOf(elements),
		},
		Added: numbersOf(nil),
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &found)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{found.ChannelID})...)
}
