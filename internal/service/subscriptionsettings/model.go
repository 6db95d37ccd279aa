package subscriptionsettings

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// model is the resource.
type model struct {
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
	of                    func(*model) *types.Bool
}

const asTheAccount = " Null means that the account's setting for all channels applies. Once set, it cannot be unset on the server."

var flags = []flag{
	{"is_muted", "Whether the channel is muted.", func(m *model) *types.Bool { return &m.IsMuted }},
	{"pin_to_top", "Whether the channel is pinned to the top of the left sidebar.", func(m *model) *types.Bool { return &m.PinToTop }},
	{"desktop_notifications", "Whether messages in the channel trigger visual desktop notifications." + asTheAccount, func(m *model) *types.Bool { return &m.DesktopNotifications }},
	{"audible_notifications", "Whether messages in the channel trigger audible desktop notifications." + asTheAccount, func(m *model) *types.Bool { return &m.AudibleNotifications }},
	{"push_notifications", "Whether messages in the channel trigger mobile notifications." + asTheAccount, func(m *model) *types.Bool { return &m.PushNotifications }},
	{"email_notifications", "Whether messages in the channel trigger email notifications." + asTheAccount, func(m *model) *types.Bool { return &m.EmailNotifications }},
	{"wildcard_mentions_notify", "Whether wildcard mentions such as `@all` in the channel notify like a mention of the account." + asTheAccount, func(m *model) *types.Bool { return &m.WildcardMentionsNotify }},
}

// read takes what the server holds.
func (m *model) read(found *zulip.Subscription, channel string) {
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
func (m *model) readUnknown(found *zulip.Subscription) {
	var current model
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
func (m *model) changes(held *model) []zulip.SubscriptionProperty {
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

func resourceSchema() schema.Schema {
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
