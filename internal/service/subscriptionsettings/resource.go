// Package subscriptionsettings is the resource zulip_channel_subscription_settings: how the provider's account sees a channel,
// and what it is notified of.
package subscriptionsettings

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure   = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan  = (*Resource)(nil)
	_ resource.ResourceWithImportState = (*Resource)(nil)
	_ resource.ResourceWithIdentity    = (*Resource)(nil)
)

// Resource is zulip_channel_subscription_settings.
type Resource struct{ base.Resource }

// NewResource returns zulip_channel_subscription_settings.
func NewResource() resource.Resource { return &Resource{} }

// identity is what the settings of a channel are recognised by.
type identity struct {
	ChannelID types.Int64 `tfsdk:"channel_id"`
}

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_channel_subscription_settings"
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema()
}

// IdentitySchema describes what the settings are recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"channel_id": identityschema.Int64Attribute{RequiredForImport: true, Description: "ID of the channel."},
	}}
}

// ModifyPlan refuses a channel that the account is not in.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || !r.CanPlan(&resp.Diagnostics) {
		return
	}
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the channels", base.Explain(err))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.Channel.IsUnknown() || lookup.IsPlannedChannel(view, plan.Channel.ValueString()) {
		plan.ChannelID = types.Int64Unknown()
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
		if !req.State.Raw.IsNull() { // another one, as far as is known
			resp.RequiresReplace.Append(path.Root("channel"))
		}
		return
	}
	channel, err := lookup.Channel(view, plan.Channel.ValueString())
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("channel"), "No such channel",
			base.Sentence(err)+"\n\nIf this configuration creates the channel, write zulip_channel.NAME.id: its ID is not known before, so that the channel comes first.")
		return
	}
	if !req.State.Raw.IsNull() {
		var state model
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		if state.ChannelID.ValueInt64() == channel.ID {
			plan.Channel = state.Channel
		} else {
			resp.RequiresReplace.Append(path.Root("channel"))
		}
	}
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	r.checkAlone(channel, &config, &resp.Diagnostics)
	plan.ChannelID = types.Int64Value(channel.ID)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	subscription, err := r.Meta.Store.Subscription(ctx, channel.ID)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the account's subscriptions", base.Explain(err))
	} else if subscription == nil {
		resp.Diagnostics.AddAttributeWarning(path.Root("channel"), "The account is not in the channel",
			fmt.Sprintf("The account the provider uses has settings only of channels it is in, and it is not in %q now. Unless this run subscribes it before (then let this resource depend on that one), the apply fails.", channel.Name))
	}
}

// checkAlone refuses two resources that set one thing differently.
func (r *Resource) checkAlone(channel *zulip.Channel, config *model, diags *diag.Diagnostics) {
	for _, change := range config.changes(&model{}) {
		if !r.Meta.Run.Declare("zulip_channel_subscription_settings."+change.Property, channel.ID, fmt.Sprint(change.Value)) {
			diags.AddAttributeError(path.Root(change.Property), fmt.Sprintf("Two values for %s in channel %q", change.Property, channel.Name),
				"Another zulip_channel_subscription_settings of this configuration sets it to something else, and each apply would undo one of them. Keep one.")
		}
	}
}

// Create sets what is configured; the rest stays as it is.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the channels", base.Explain(err))
		return
	}
	channel, err := lookup.Channel(view, plan.Channel.ValueString())
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("channel"), "No such channel", base.Sentence(err))
		return
	}
	// The account may have been subscribed since the plan was made.
	r.Meta.Store.Invalidate(store.Subscriptions)
	now := r.subscription(ctx, channel.ID, &resp.Diagnostics)
	if now == nil {
		return
	}
	held := plan
	held.read(now, channel.Name)
	if now, done := r.set(ctx, now, plan.changes(&held), &resp.Diagnostics); done {
		plan.readUnknown(now)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ChannelID})...)
	}
}

// subscription returns the account's settings of a channel, and reports why there are none.
func (r *Resource) subscription(ctx context.Context, channel int64, diags *diag.Diagnostics) *zulip.Subscription {
	found, err := r.Meta.Store.Subscription(ctx, channel)
	switch {
	case err != nil:
		diags.AddError("Cannot read the account's subscriptions", base.Explain(err))
	case found == nil:
		diags.AddAttributeError(path.Root("channel"), "The account is not in the channel",
			fmt.Sprintf("The account the provider uses has settings only of channels it is in. Subscribe it to channel %d first.", channel))
	}
	return found
}

// set sends changes, and reports whether they were made. It returns what the server holds then, as far as it can be read.
func (r *Resource) set(ctx context.Context, now *zulip.Subscription, changes []zulip.SubscriptionProperty, diags *diag.Diagnostics) (*zulip.Subscription, bool) {
	if len(changes) == 0 {
		return now, true
	}
	for i := range changes {
		changes[i].ChannelID = now.ChannelID
	}
	err := r.Meta.Client.SetSubscriptionProperties(ctx, changes)
	r.Meta.Store.Invalidate(store.Subscriptions)
	if err != nil {
		diags.AddError(fmt.Sprintf("Cannot change the account's settings of channel %d", now.ChannelID),
			base.Explain(err)+"\n\nThe server changes one setting after the other: those before the one it refused are changed. The next plan shows what is left.")
	}
	if found, readErr := r.Meta.Store.Subscription(ctx, now.ChannelID); readErr == nil && found != nil {
		now = found
	}
	return now, err == nil
}

// Read takes the settings from the account's subscriptions, which are read once for all.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ChannelID})...)
	found, err := r.Meta.Store.Subscription(ctx, state.ChannelID.ValueInt64())
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the account's subscriptions", base.Explain(err))
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the channels", base.Explain(err))
		return
	}
	if found == nil {
		tflog.Info(ctx, "The account is not in the channel any more: removing its settings from the state",
			map[string]any{"channel": state.ChannelID.ValueInt64()})
		resp.State.RemoveResource(ctx)
		return
	}
	state.read(found, lookup.KeepChannel(state.Channel.ValueString(), found.ChannelID, view))
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update sends what is planned to change, unless somebody else has changed it since.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	r.Meta.Store.Invalidate(store.Subscriptions)
	now := r.subscription(ctx, state.ChannelID.ValueInt64(), &resp.Diagnostics)
	if now == nil {
		return
	}
	current := state
	current.read(now, state.Channel.ValueString())
	changes := conflicts(plan.changes(&state), plan.changes(&current), current.changes(&state), &resp.Diagnostics)
	done := !resp.Diagnostics.HasError()
	if done {
		now, done = r.set(ctx, now, changes, &resp.Diagnostics)
	}
	if plan.readUnknown(now); !done {
		plan = state
		plan.read(now, state.Channel.ValueString())
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ChannelID})...)
}

// conflicts returns those planned changes that are still to be made, and reports those whose setting somebody else has changed
// to another value since the plan.
func conflicts(planned, missing, others []zulip.SubscriptionProperty, diags *diag.Diagnostics) (changes []zulip.SubscriptionProperty) {
	of := func(changes []zulip.SubscriptionProperty, property string) int {
		return slices.IndexFunc(changes, func(change zulip.SubscriptionProperty) bool { return change.Property == property })
	}
	for _, change := range planned {
		if of(missing, change.Property) < 0 {
			continue // it is so already
		}
		if other := of(others, change.Property); other >= 0 {
			diags.AddAttributeError(path.Root(change.Property), fmt.Sprintf("%s was changed by somebody else after it was planned", change.Property),
				fmt.Sprintf("It is %v now, and is planned to be %v. Nothing was changed. Plan again, and review what the difference is now.", others[other].Value, change.Value))
		}
		changes = append(changes, change)
	}
	return changes
}

// Delete leaves the settings as they are: the server has nothing to go back to (server-behavior §S7).
func (r *Resource) Delete(ctx context.Context, _ resource.DeleteRequest, _ *resource.DeleteResponse) {
	tflog.Info(ctx, "The account's settings of the channel stay, and are not managed any more")
}

// ImportState takes the channel's ID, or its name.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
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
	channel, err := lookup.Channel(view, req.ID)
	if err != nil {
		resp.Diagnostics.AddError("Cannot import the settings of this channel", base.Sentence(err))
		return
	}
	if r.subscription(ctx, channel.ID, &resp.Diagnostics) == nil {
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("channel_id"), channel.ID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(channel.ID)})...)
}
