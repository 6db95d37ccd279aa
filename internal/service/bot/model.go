package bot

import (
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// model is the resource. The bot's key is no part of it.
type model struct {
	ID                          types.Int64  `tfsdk:"id"`
	Email                       types.String `tfsdk:"email"`
	ShortName                   types.String `tfsdk:"short_name"`
	FullName                    types.String `tfsdk:"full_name"`
	BotType                     types.String `tfsdk:"bot_type"`
	Owner                       types.String `tfsdk:"owner"`
	Role                        types.String `tfsdk:"role"`
	DefaultSendingStream        types.String `tfsdk:"default_sending_stream"`
	DefaultEventsRegisterStream types.String `tfsdk:"default_events_register_stream"`
	DefaultAllPublicStreams     types.Bool   `tfsdk:"default_all_public_streams"`
	PayloadURL                  types.String `tfsdk:"payload_url"`
	Interface                   types.String `tfsdk:"interface"`
	ServiceName                 types.String `tfsdk:"service_name"`
	ConfigData                  types.Map    `tfsdk:"config_data"`
	AdoptDeactivated            types.Bool   `tfsdk:"adopt_deactivated"`
}

// The words for types and interfaces, by the numbers of the wire.
var (
	typeWords      = []string{"", "generic", "incoming_webhook", "outgoing_webhook", "embedded"}
	interfaceWords = []string{"", "generic", "slack"}
)

// word returns the word for a number; a number that this provider does not know is in digits.
func word(words []string, number int64) string {
	if number > 0 && number < int64(len(words)) {
		return words[number]
	}
	return fmt.Sprint(number)
}

// number returns the number that a word stands for; zero for none.
func number(words []string, text string) int64 {
	for i, known := range words {
		if i > 0 && known == text {
			return int64(i)
		}
	}
	return 0
}

func (m *model) botType() zulip.BotType {
	return zulip.BotType(number(typeWords, m.BotType.ValueString()))
}

// typeOf returns the type of a bot; zero if the server did not say it.
func typeOf(user *zulip.User) zulip.BotType {
	if user.BotType == nil {
		return 0
	}
	return zulip.BotType(*user.BotType)
}

// suffix ends the local part of the address that the server makes of a short name.
const suffix = "-bot"

// shortName returns the short name that an address was made of.
func shortName(address string) string {
	local, _, _ := strings.Cut(address, "@")
	return strings.TrimSuffix(local, suffix)
}

// hasShortName reports whether a bot's address is made of a short name. The server compares addresses without regard to
// case.
func hasShortName(user *zulip.User, name string) bool {
	return strings.EqualFold(shortName(user.Address()), name)
}

// read takes what the server says, in the words there are where they mean the same.
func (m *model) read(user *zulip.User, bot *zulip.Bot, view *snapshot.Snapshot) {
	m.ID, m.Email = types.Int64Value(user.ID), types.StringValue(user.Address())
	if m.ShortName.IsNull() {
		m.ShortName = types.StringValue(shortName(user.Address()))
	}
	if strings.TrimSpace(m.FullName.ValueString()) != user.FullName {
		m.FullName = types.StringValue(user.FullName)
	}
	m.BotType, m.Role = types.StringValue(word(typeWords, int64(typeOf(user)))), types.StringValue(user.Role.String())
	m.Owner = ownerWords(m.Owner, user.BotOwnerID, view)
	m.DefaultSendingStream = channelWords(m.DefaultSendingStream, bot.DefaultSendingStream, view)
	m.DefaultEventsRegisterStream = channelWords(m.DefaultEventsRegisterStream, bot.DefaultEventsRegisterStream, view)
	m.DefaultAllPublicStreams = types.BoolValue(bot.DefaultAllPublicStreams)
	m.PayloadURL, m.Interface = types.StringNull(), types.StringNull()
	if typeOf(user) == zulip.BotOutgoingWebhook && len(bot.Services) > 0 {
		m.PayloadURL = types.StringValue(bot.Services[0].BaseURL)
		m.Interface = types.StringValue(word(interfaceWords, bot.Services[0].Interface))
	}
}

// ownerWords returns the words for the owner: those there are if they mean the person. Old bots may have none.
func ownerWords(kept types.String, id *int64, view *snapshot.Snapshot) types.String {
	if id == nil {
		return types.StringNull()
	}
	if owner, ok := view.User(*id); ok {
		return types.StringValue(framework.UserAddress(kept.ValueString(), owner, view))
	}
	return types.StringValue(fmt.Sprint(*id))
}

// channelWords returns the words for a channel that the server names: those there are if they mean it. "" is none.
func channelWords(kept types.String, name *string, view *snapshot.Snapshot) types.String {
	if name == nil {
		return types.StringValue("")
	}
	channel, ok := view.Channels().ByName(*name)
	if !ok {
		return types.StringValue(*name) // one that the account does not see
	}
	return types.StringValue(framework.KeepChannel(kept.ValueString(), channel.ID, view))
}

// changes are what has to be sent so that the bot becomes what is planned. config are the keys that are to be written.
// What cannot be resolved is reported.
func (m *model) changes(user *zulip.User, bot *zulip.Bot, config map[string]string, view *snapshot.Snapshot, diags *diag.Diagnostics) zulip.BotUpdate {
	update := zulip.BotUpdate{Config: config}
	if name := strings.TrimSpace(m.FullName.ValueString()); name != user.FullName {
		update.FullName = &name
	}
	if role, ok := zulip.ParseRole(m.Role.ValueString()); ok && role != user.Role {
		update.Role = &role
	}
	if framework.IsSet(m.Owner) {
		owner, err := framework.FindUser(view, m.Owner.ValueString())
		if err != nil {
			diags.AddAttributeError(path.Root("owner"), "No such person", framework.Sentence(err))
		} else if user.BotOwnerID == nil || *user.BotOwnerID != owner.ID {
			update.OwnerID = &owner.ID
		}
	}
	update.DefaultSendingStream = channelChange("default_sending_stream", m.DefaultSendingStream, bot.DefaultSendingStream, view, diags)
	update.DefaultEventsRegisterStream = channelChange("default_events_register_stream", m.DefaultEventsRegisterStream, bot.DefaultEventsRegisterStream, view, diags)
	if all := m.DefaultAllPublicStreams; !all.IsNull() && !all.IsUnknown() && all.ValueBool() != bot.DefaultAllPublicStreams {
		update.DefaultAllPublicStreams = all.ValueBoolPointer()
	}
	if typeOf(user) == zulip.BotOutgoingWebhook && framework.IsSet(m.PayloadURL) {
		wanted := m.service(bot)
		if len(bot.Services) == 0 || wanted != bot.Services[0] {
			update.Service = &wanted
		}
	}
	return update
}

// service is where an outgoing webhook is to send to; an interface that is not managed stays.
func (m *model) service(bot *zulip.Bot) zulip.BotService {
	wanted := zulip.BotService{BaseURL: m.PayloadURL.ValueString(), Interface: 1}
	if len(bot.Services) > 0 {
		wanted.Interface = bot.Services[0].Interface
	}
	if framework.IsSet(m.Interface) {
		wanted.Interface = number(interfaceWords, m.Interface.ValueString())
	}
	return wanted
}

// channelChange is the channel's name to send; nil if it is not managed or there already.
func channelChange(attribute string, wanted types.String, held *string, view *snapshot.Snapshot, diags *diag.Diagnostics) *string {
	if !framework.IsSet(wanted) {
		return nil
	}
	name := ""
	if wanted.ValueString() != "" {
		channel, err := framework.FindChannel(view, wanted.ValueString())
		if err != nil {
			diags.AddAttributeError(path.Root(attribute), "No such channel", framework.Sentence(err))
			return nil
		}
		name = channel.Name
	}
	if held != nil && strings.EqualFold(*held, name) || held == nil && name == "" {
		return nil
	}
	return &name
}

// config returns the settings of the bot's service, as far as they are known and not null.
func (m *model) config() map[string]string {
	config := map[string]string{}
	for key, element := range m.ConfigData.Elements() {
		if text, ok := element.(types.String); ok && framework.IsSet(text) {
			config[key] = text.ValueString()
		}
	}
	return config
}

// newKeys are the keys whose value differs from what was written last: the server shows none of them.
func (m *model) newKeys(written *model) map[string]string {
	wanted, before := m.config(), written.config()
	maps.DeleteFunc(wanted, func(key, value string) bool { held, ok := before[key]; return ok && held == value })
	return wanted
}
