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

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/validators"
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

const asTheAccount = " Null is as the account has it for all channels; once it is set, the server does not go back to that."

var flags = []flag{
	{"is_muted", "Whether the channel is muted.", func(m *model) *types.Bool { return &m.IsMuted }},
	{"pin_to_top", "Whether the channel stands at the top of the list.", func(m *model) *types.Bool { return &m.PinToTop }},
	{"desktop_notifications", "Whether messages in the channel are shown on the desktop." + asTheAccount, func(m *model) *types.Bool { return &m.DesktopNotifications }},
	{"audible_notifications", "Whether messages in the channel make a sound." + asTheAccount, func(m *model) *types.Bool { return &m.AudibleNotifications }},
	{"push_notifications", "Whether messages in the channel are pushed to mobile devices." + asTheAccount, func(m *model) *types.Bool { return &m.PushNotifications }},
	{"email_notifications", "Whether messages in the channel are sent by e-mail." + asTheAccount, func(m *model) *types.Bool { return &m.EmailNotifications }},
	{"wildcard_mentions_notify", "Whether a mention of everybody in the channel counts as one of the account." + asTheAccount, func(m *model) *types.Bool { return &m.WildcardMentionsNotify }},
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

// changes are the settings that are planned otherwise than they are held.
func (m *model) changes(held *model) []zulip.SubscriptionProperty {
	var changes []zulip.SubscriptionProperty
	if framework.IsSet(m.Color) && !m.Color.Equal(held.Color) {
		changes = append(changes, zulip.SubscriptionProperty{Property: "color", Value: m.Color.ValueString()})
	}
	for _, flag := range flags {
		if planned := *flag.of(m); framework.IsSet(planned) && !planned.Equal(*flag.of(held)) {
			changes = append(changes, zulip.SubscriptionProperty{Property: flag.property, Value: planned.ValueBool()})
		}
	}
	return changes
}

func resourceSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"channel": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "The channel: its ID, as in `zulip_channel.x.id`, or its name. A channel whose name is a number is written `name:2024`. The account has to be in it.",
		},
		"channel_id": schema.Int64Attribute{
			Computed: true, MarkdownDescription: "The channel's ID.",
			PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
		},
		"color": schema.StringAttribute{
			Optional: true, Computed: true, MarkdownDescription: "The color the channel is shown in, as in `#76ce90`.",
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
		Version: framework.SchemaVersion,
		MarkdownDescription: `How a channel looks to the account the provider uses, and what the channel tells it. These are the account's own settings: nobody else's can be set.

An attribute that is not set is not managed. Destroying the resource leaves the settings as they are, for the server has no default to go back to.`,
		Attributes: attributes,
	}
}
