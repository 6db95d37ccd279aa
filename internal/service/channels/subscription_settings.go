package channels

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

type subscriptionSettingsCall = adapter.Call[subscriptionSettingsModel]

// NewChannelSubscriptionSettingsResource returns zulip_channel_subscription_settings.
func NewChannelSubscriptionSettingsResource() resource.Resource {
	return adapter.Resource[subscriptionSettingsModel]{
		Name: "channel_subscription_settings", Schema: subscriptionSettingsSchema,
		Identity: adapter.Identity{{"channel_id", "ID of the channel."}},
		Plan:     planSubscriptionSettings,
		Create:   createSubscriptionSettings, Read: readSubscriptionSettings, Update: updateSubscriptionSettings,
		Import: importSubscriptionSettings,
		Stays:  "The account's settings of the channel stay, and are not managed any more", // the server stores no earlier values (server-behavior §S7)
	}.New()
}

func subscriptionSettingsSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"channel": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "ID of the channel, such as `zulip_channel.x.id`, or its name. Write `name:2024` for a channel whose name is a number. The provider's account must be subscribed to it. Changing it to another channel forces replacement.",
		},
		"channel_id": schema.Int64Attribute{
			Computed: true, MarkdownDescription: "ID of the channel.",
			PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
		},
		"color": schema.StringAttribute{
			Optional: true, Computed: true, MarkdownDescription: "Color of the channel, in hexadecimal, such as `#76ce90`.",
			Validators: []validator.String{validators.Matches(regexp.MustCompile(`^#[0-9a-fA-F]{3,6}$`),
				"must be a # and three to six hexadecimal digits")},
			PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		},
	}
	for _, flag := range subscriptionFlags {
		attributes[flag.property] = schema.BoolAttribute{
			Optional: true, Computed: true, MarkdownDescription: flag.description,
			PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
		}
	}
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages the personal settings of the provider's account for a channel: color, pinning, muting and [notifications](https://zulip.com/help/channel-notifications).",
		Attributes:          attributes,
	}
}

// planSubscriptionSettings refuses a channel that the account is not in.
func planSubscriptionSettings(ctx context.Context, c *subscriptionSettingsCall) error {
	plan := c.Plan
	view, err := c.Read("the channels", store.Channels)
	if err != nil {
		return err
	}
	if plan.Channel.IsUnknown() || lookup.IsPlannedChannel(view, plan.Channel.ValueString()) {
		plan.ChannelID = types.Int64Unknown()
		if c.State != nil { // another channel, as far as is known
			c.Replace("channel")
		}
		c.Save(plan)
		return nil
	}
	channel, err := lookup.Channel(view, plan.Channel.ValueString())
	if err != nil {
		return lookup.NoSuchChannel(path.Root("channel"), err)
	}
	switch {
	case c.State == nil:
	case c.State.ChannelID.ValueInt64() == channel.ID:
		plan.Channel = c.State.Channel
	default:
		c.Replace("channel")
	}
	lookup.NameChannelInPlan(view, c.Config.Channel.ValueString(), path.Root("channel"), c.Diags)
	checkSubscriptionSettingsAlone(c, channel)
	plan.ChannelID = types.Int64Value(channel.ID)
	c.Save(plan)
	subscription, err := c.Meta.Store.Subscription(ctx, channel.ID)
	_, isCreated := c.Meta.Run.Effects.Last(effects.Subscribed, channel.ID)
	switch {
	case err != nil:
		return base.Failed(subscriptionsUnreadable, err)
	case subscription == nil:
		c.Diags.AddAttributeWarning(path.Root("channel"), "The account is not subscribed to the channel",
			fmt.Sprintf("The provider's account has settings only for channels it is subscribed to, and it is not subscribed to %q. If this configuration subscribes it, add depends_on to this resource. Otherwise the apply fails.", channel.Name))
	case c.State == nil && !isCreated: // nobody chose the values of a channel that this run has created
		change.WarnOfManaged(fmt.Sprintf("the account's settings of channel %q", channel.Name), plan.steps(subscription), c.Diags)
	}
	return nil
}

const subscriptionsUnreadable = "Cannot read the account's subscriptions"

// checkSubscriptionSettingsAlone refuses two resources with different values of one setting.
func checkSubscriptionSettingsAlone(c *subscriptionSettingsCall, channel *zulip.Channel) {
	for _, change := range c.Config.changes(&subscriptionSettingsModel{}) {
		if !c.Meta.Run.Declare(runstate.ID("zulip_channel_subscription_settings."+change.Property, channel.ID), runstate.Words(fmt.Sprint(change.Value))) {
			c.Diags.AddAttributeError(path.Root(change.Property), fmt.Sprintf("Duplicate %s in channel %q", change.Property, channel.Name),
				"Another zulip_channel_subscription_settings of this configuration sets another value, so each apply would undo the change of the other. Keep one of them.")
		}
	}
}

// createSubscriptionSettings sends the configured settings, and leaves the others unchanged.
func createSubscriptionSettings(ctx context.Context, c *subscriptionSettingsCall) error {
	view, err := c.Read("the channels", store.Channels)
	if err != nil {
		return err
	}
	channel, err := lookup.Channel(view, c.Plan.Channel.ValueString())
	if err != nil {
		return lookup.NoSuchChannel(path.Root("channel"), err)
	}
	// The account may have been subscribed since the plan was made.
	c.Meta.Store.Invalidate(store.Subscriptions)
	now, err := subscriptionOf(ctx, c, channel.ID)
	if err != nil {
		return err
	}
	held := *c.Plan
	held.read(now, channel.Name)
	now, err = setSubscriptionSettings(ctx, c, now, c.Plan.changes(&held))
	if err != nil {
		return err
	}
	c.Plan.readUnknown(now)
	c.Save(c.Plan)
	return nil
}

// subscriptionOf returns the account's settings of a channel.
func subscriptionOf(ctx context.Context, c *subscriptionSettingsCall, channel int64) (*zulip.Subscription, error) {
	found, err := c.Meta.Store.Subscription(ctx, channel)
	if err == nil && found == nil {
		return nil, base.Refused(path.Root("channel"), "The account is not subscribed to the channel",
			fmt.Sprintf("The provider's account has settings only for channels it is subscribed to. Subscribe it to channel %d first.", channel))
	}
	return found, base.Failed(subscriptionsUnreadable, err)
}

// setSubscriptionSettings sends changes. It returns the server's values afterwards, as far as they can be read, also
// with an error.
func setSubscriptionSettings(ctx context.Context, c *subscriptionSettingsCall, now *zulip.Subscription, changes []zulip.SubscriptionProperty) (*zulip.Subscription, error) {
	if len(changes) == 0 {
		return now, nil
	}
	for i := range changes {
		changes[i].ChannelID = now.ChannelID
	}
	err := c.Meta.Client.SetSubscriptionProperties(ctx, changes)
	c.Meta.Store.Invalidate(store.Subscriptions)
	if err != nil {
		err = base.Refused(path.Empty(), fmt.Sprintf("Cannot change the account's settings of channel %d", now.ChannelID),
			base.Explain(err)+"\n\nThe server changes one setting after another, so some settings may have been changed. The next plan shows what is left.")
	}
	if found, readErr := c.Meta.Store.Subscription(ctx, now.ChannelID); readErr == nil && found != nil {
		now = found
	}
	return now, err
}

// readSubscriptionSettings takes the settings from the account's subscriptions, which are read once for all.
func readSubscriptionSettings(ctx context.Context, c *subscriptionSettingsCall) error {
	found, err := c.Meta.Store.Subscription(ctx, c.State.ChannelID.ValueInt64())
	if err != nil {
		return base.Failed(subscriptionsUnreadable, err)
	}
	view, err := c.Read("the channels", store.Channels)
	if err != nil {
		return err
	}
	if found == nil {
		tflog.Info(ctx, "The account is not in the channel any more: removing its settings from the state",
			map[string]any{"channel": c.State.ChannelID.ValueInt64()})
		c.Forget()
		return nil
	}
	c.State.read(found, lookup.KeepChannel(c.State.Channel.ValueString(), found.ChannelID, view))
	c.Save(c.State)
	return nil
}

// updateSubscriptionSettings sends the planned changes, unless there is a conflict.
func updateSubscriptionSettings(ctx context.Context, c *subscriptionSettingsCall) error {
	c.Meta.Store.Invalidate(store.Subscriptions)
	now, err := subscriptionOf(ctx, c, c.State.ChannelID.ValueInt64())
	if err != nil {
		return err
	}
	held, current := c.Plan, *c.State
	current.read(now, c.State.Channel.ValueString())
	changes := subscriptionConflicts(c.Plan.changes(c.State), c.Plan.changes(&current), current.changes(c.State), c.Diags)
	if !c.Diags.HasError() {
		now, err = setSubscriptionSettings(ctx, c, now, changes)
	}
	held.readUnknown(now)
	if err != nil || c.Diags.HasError() {
		held = c.State
		held.read(now, c.State.Channel.ValueString())
	}
	c.Save(held)
	return err
}

// subscriptionConflicts returns the planned changes that are still missing, and reports settings that have another value than
// during plan.
func subscriptionConflicts(planned, missing, others []zulip.SubscriptionProperty, diags *diag.Diagnostics) (changes []zulip.SubscriptionProperty) {
	of := func(changes []zulip.SubscriptionProperty, property string) int {
		return slices.IndexFunc(changes, func(change zulip.SubscriptionProperty) bool { return change.Property == property })
	}
	for _, change := range planned {
		if of(missing, change.Property) < 0 {
			continue // the value is already as planned
		}
		if other := of(others, change.Property); other >= 0 {
			diags.AddAttributeError(path.Root(change.Property), base.ChangedAfterPlan(change.Property),
				fmt.Sprintf("%s\n  now:                        %v\n  the configuration asks for: %v\n\nNothing was changed. Plan again and review the new difference.", change.Property, others[other].Value, change.Value))
		}
		changes = append(changes, change)
	}
	return changes
}

// importSubscriptionSettings imports by the channel's ID or name.
func importSubscriptionSettings(ctx context.Context, c *subscriptionSettingsCall, text string) error {
	view, err := c.Read("the channels", store.Channels)
	if err != nil {
		return err
	}
	channel, err := lookup.Channel(view, text)
	if err != nil {
		return base.Refused(path.Empty(), "Cannot import the settings of this channel", base.NotFoundByImport(err))
	}
	if _, err := subscriptionOf(ctx, c, channel.ID); err != nil {
		return err
	}
	c.SaveAttribute("channel_id", channel.ID)
	return nil
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

// subscriptionFlag is one of the settings that are on or off.
type subscriptionFlag struct {
	property, description string
	of                    func(*subscriptionSettingsModel) *types.Bool
}

var subscriptionFlags = []subscriptionFlag{
	{"is_muted", "If true, the channel is muted.", func(m *subscriptionSettingsModel) *types.Bool { return &m.IsMuted }},
	{"pin_to_top", "If true, the channel is pinned to the top of the left sidebar.", func(m *subscriptionSettingsModel) *types.Bool { return &m.PinToTop }},
	{"desktop_notifications", "If true, messages in the channel trigger visual desktop notifications.", func(m *subscriptionSettingsModel) *types.Bool { return &m.DesktopNotifications }},
	{"audible_notifications", "If true, messages in the channel trigger audible desktop notifications.", func(m *subscriptionSettingsModel) *types.Bool { return &m.AudibleNotifications }},
	{"push_notifications", "If true, messages in the channel trigger mobile notifications.", func(m *subscriptionSettingsModel) *types.Bool { return &m.PushNotifications }},
	{"email_notifications", "If true, messages in the channel trigger email notifications.", func(m *subscriptionSettingsModel) *types.Bool { return &m.EmailNotifications }},
	{"wildcard_mentions_notify", "If true, wildcard mentions such as `@all` in the channel notify like a mention of the account.", func(m *subscriptionSettingsModel) *types.Bool { return &m.WildcardMentionsNotify }},
}

// read sets the attributes to the server's values.
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

// readUnknown sets values that were unknown during plan to the server's.
func (m *subscriptionSettingsModel) readUnknown(found *zulip.Subscription) {
	var current subscriptionSettingsModel
	current.read(found, "")
	if m.ChannelID.IsUnknown() {
		m.ChannelID = current.ChannelID
	}
	if m.Color.IsUnknown() {
		m.Color = current.Color
	}
	for _, flag := range subscriptionFlags {
		if at := flag.of(m); at.IsUnknown() {
			*at = *flag.of(&current)
		}
	}
}

// steps returns the changes with the account's current values, for a message.
func (m *subscriptionSettingsModel) steps(now *zulip.Subscription) (steps []change.Step[*zulip.Subscription, zulip.SubscriptionProperty]) {
	var held subscriptionSettingsModel
	held.read(now, "")
	values := map[string]string{}
	for _, property := range held.changes(&subscriptionSettingsModel{}) {
		values[property.Property] = fmt.Sprint(property.Value)
	}
	for _, property := range m.changes(&held) {
		steps = append(steps, change.Step[*zulip.Subscription, zulip.SubscriptionProperty]{
			Attribute: property.Property, Prior: cmp.Or(values[property.Property], "as in the account's general settings"), Planned: fmt.Sprint(property.Value),
		})
	}
	return steps
}

// changes returns the settings whose planned values differ from the server's.
func (m *subscriptionSettingsModel) changes(held *subscriptionSettingsModel) []zulip.SubscriptionProperty {
	var changes []zulip.SubscriptionProperty
	if base.IsSet(m.Color) && !m.Color.Equal(held.Color) {
		changes = append(changes, zulip.SubscriptionProperty{Property: "color", Value: m.Color.ValueString()})
	}
	for _, flag := range subscriptionFlags {
		if planned := *flag.of(m); base.IsSet(planned) && !planned.Equal(*flag.of(held)) {
			changes = append(changes, zulip.SubscriptionProperty{Property: flag.property, Value: planned.ValueBool()})
		}
	}
	return changes
}
