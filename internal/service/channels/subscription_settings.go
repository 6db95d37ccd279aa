package channels

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure   = (*subscriptionSettingsResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*subscriptionSettingsResource)(nil)
	_ resource.ResourceWithImportState = (*subscriptionSettingsResource)(nil)
	_ resource.ResourceWithIdentity    = (*subscriptionSettingsResource)(nil)
)

// subscriptionSettingsResource is zulip_channel_subscription_settings.
type subscriptionSettingsResource struct{ base.Resource }

// NewChannelSubscriptionSettingsResource returns zulip_channel_subscription_settings.
func NewChannelSubscriptionSettingsResource() resource.Resource {
	return &subscriptionSettingsResource{}
}

func (r *subscriptionSettingsResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_channel_subscription_settings"
}

func (r *subscriptionSettingsResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = subscriptionSettingsSchema()
}

// IdentitySchema describes what the settings are recognised by.
func (r *subscriptionSettingsResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"channel_id": identityschema.Int64Attribute{RequiredForImport: true, Description: "ID of the channel."},
	}}
}

// ModifyPlan refuses a channel that the account is not in.
func (r *subscriptionSettingsResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || !r.CanPlan(&resp.Diagnostics) {
		return
	}
	var plan subscriptionSettingsModel
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
		var state subscriptionSettingsModel
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		if state.ChannelID.ValueInt64() == channel.ID {
			plan.Channel = state.Channel
		} else {
			resp.RequiresReplace.Append(path.Root("channel"))
		}
	}
	var config subscriptionSettingsModel
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
func (r *subscriptionSettingsResource) checkAlone(channel *zulip.Channel, config *subscriptionSettingsModel, diags *diag.Diagnostics) {
	for _, change := range config.changes(&subscriptionSettingsModel{}) {
		if !r.Meta.Run.Declare("zulip_channel_subscription_settings."+change.Property, channel.ID, fmt.Sprint(change.Value)) {
			diags.AddAttributeError(path.Root(change.Property), fmt.Sprintf("Two values for %s in channel %q", change.Property, channel.Name),
				"Another zulip_channel_subscription_settings of this configuration sets it to something else, and each apply would undo one of them. Keep one.")
		}
	}
}

// Create sets what is configured; the rest stays as it is.
func (r *subscriptionSettingsResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan subscriptionSettingsModel
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
func (r *subscriptionSettingsResource) subscription(ctx context.Context, channel int64, diags *diag.Diagnostics) *zulip.Subscription {
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
func (r *subscriptionSettingsResource) set(ctx context.Context, now *zulip.Subscription, changes []zulip.SubscriptionProperty, diags *diag.Diagnostics) (*zulip.Subscription, bool) {
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
func (r *subscriptionSettingsResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state subscriptionSettingsModel
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
func (r *subscriptionSettingsResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state subscriptionSettingsModel
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
func (r *subscriptionSettingsResource) Delete(ctx context.Context, _ resource.DeleteRequest, _ *resource.DeleteResponse) {
	tflog.Info(ctx, "The account's settings of the channel stay, and are not managed any more")
}

// ImportState takes the channel's ID, or its name.
func (r *subscriptionSettingsResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
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

// subscriptionSettingsModel is the resource.
type subscriptionSettingsModel struct {
	Channel                types.String `tfsdk:"channel"`
	ChannelID              types.Int64  `tfsdk:"channel_id"`
	Color                  types.String `tfsdk:"color"`
	IsMuted                types.Bool   `tfsdk:"is_muted"`
	PinToTop               types.Bool   `tfsdk:"pin_to_top"`
	DesktopNotifications   types.Bool   `tfsdk:"desktop_notifications"`
	AudibleNotifications   types.Bool   `tfsdk:"audible_notifications"`
	PushNotifications      types.Bool   `tfsdk:"push_notifications"`
	EmailNotifications     types.Bool   `tfsdk:"email_notifications"`
	WildcardMentionsNotify types.Bool   `tfsdk:"wildcard_mentions_notify"`
}

// flag is one of the settings that are on or off.
type flag struct {
	property, description string
	of                    func(*subscriptionSettingsModel) *types.Bool
}

const asTheAccount = " Null means that the account's setting for all channels applies. Once set, it cannot be unset on the server."

var flags = []flag{
	{"is_muted", "Whether the channel is muted.", func(m *subscriptionSettingsModel) *types.Bool { return &m.IsMuted }},
	{"pin_to_top", "Whether the channel is pinned to the top of the left sidebar.", func(m *subscriptionSettingsModel) *types.Bool { return &m.PinToTop }},
	{"desktop_notifications", "Whether messages in the channel trigger visual desktop notifications." + asTheAccount, func(m *subscriptionSettingsModel) *types.Bool { return &m.DesktopNotifications }},
	{"audible_notifications", "Whether messages in the channel trigger audible desktop notifications." + asTheAccount, func(m *subscriptionSettingsModel) *types.Bool { return &m.AudibleNotifications }},
	{"push_notifications", "Whether messages in the channel trigger mobile notifications." + asTheAccount, func(m *subscriptionSettingsModel) *types.Bool { return &m.PushNotifications }},
	{"email_notifications", "Whether messages in the channel trigger email notifications." + asTheAccount, func(m *subscriptionSettingsModel) *types.Bool { return &m.EmailNotifications }},
	{"wildcard_mentions_notify", "Whether wildcard mentions such as `@all` in the channel notify like a mention of the account." + asTheAccount, func(m *subscriptionSettingsModel) *types.Bool { return &m.WildcardMentionsNotify }},
}

// read takes what the server holds.
func (m *subscriptionSettingsModel) read(found *zulip.Subscription, channel string) {
	m.Channel, m.ChannelID = types.StringValue(channel), types.Int64Value(found.ChannelID)
	m.Color = types.StringValue(found.Color)
	m.IsMuted, m.PinToTop = types.BoolValue(found.IsMuted), types.BoolValue(found.PinToTop)
	m.DesktopNotifications = types.BoolPointerValue(found.DesktopNotifications)
	m.AudibleNotifications = types.BoolPointerValue(found.AudibleNotifications)
	m.PushNotifications = types.BoolPointerValue(found.PushNotifications)
	m.EmailNotifications = types.BoolPointerValue(found.EmailNotifications)
	m.WildcardMentionsNotify = types.BoolPointerValue(found.WildcardMentionsNotify)
}

// readUnknown takes what the server holds of what was not known when it was planned.
func (m *subscriptionSettingsModel) readUnknown(found *zulip.Subscription) {
	var current subscriptionSettingsModel
	current.read(found, "")
	if m.ChannelID.IsUnknown() {
		m.ChannelID = current.ChannelID
	}
	if m.Color.IsUnknown() {
		m.Color = current.Color
	}
	for _, flag := range flags {
		if at := flag.of(m); at.IsUnknown() {
			*at = *flag.of(&current)
		}
	}
}

// changes are the settings that are planned otherwise than they are held.
func (m *subscriptionSettingsModel) changes(held *subscriptionSettingsModel) []zulip.SubscriptionProperty {
	var changes []zulip.SubscriptionProperty
	if base.IsSet(m.Color) && !m.Color.Equal(held.Color) {
		changes = append(changes, zulip.SubscriptionProperty{Property: "color", Value: m.Color.ValueString()})
	}
	for _, flag := range flags {
		if planned := *flag.of(m); base.IsSet(planned) && !planned.Equal(*flag.of(held)) {
			changes = append(changes, zulip.SubscriptionProperty{Property: flag.property, Value: planned.ValueBool()})
		}
	}
	return changes
}

func subscriptionSettingsSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"channel": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "ID of the channel, as in `zulip_channel.x.id`, or its name. Write `name:2024` for a channel whose name is a number. The provider's account must be subscribed to it. Changing this to another channel forces a new resource.",
		},
		"channel_id": schema.Int64Attribute{
			Computed: true, MarkdownDescription: "ID of the channel.",
			PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
		},
		"color": schema.StringAttribute{
			Optional: true, Computed: true, MarkdownDescription: "Color of the channel, in hexadecimal, as in `#76ce90`.",
			Validators: []validator.String{validators.Matches(regexp.MustCompile(`^#[0-9a-fA-F]{3,6}$`),
				"must be a # and three to six hexadecimal digits")},
			PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		},
	}
	for _, flag := range flags {
		attributes[flag.property] = schema.BoolAttribute{
			Optional: true, Computed: true, MarkdownDescription: flag.description,
			PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
		}
	}
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Manages the personal settings of the provider's account for a channel: color, pinning, muting and notifications. Nobody else's settings can be set.

An attribute that is not set is not managed. Destroying the resource leaves the settings as they are, since the server has no default to return to.`,
		Attributes: attributes,
	}
}
