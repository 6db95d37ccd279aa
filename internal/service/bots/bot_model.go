package bots

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// botModel is the resource. It doesn't have the bot's key.
type botModel struct {
	ID                          types.Int64  `tfsdk:"id"`
	Email                       types.String `tfsdk:"email"`
	ShortName                   types.String `tfsdk:"short_name"`
	FullName                    types.String `tfsdk:"full_name"`
	BotType                     types.String `tfsdk:"bot_type"`
	Owner                       types.String `tfsdk:"owner"`
	OwnerID                     types.Int64  `tfsdk:"owner_id"`
	Role                        types.String `tfsdk:"role"`
	DefaultSendingStream        types.String `tfsdk:"default_sending_stream"`
	DefaultEventsRegisterStream types.String `tfsdk:"default_events_register_stream"`
	DefaultAllPublicStreams     types.Bool   `tfsdk:"default_all_public_streams"`
	PayloadURL                  types.String `tfsdk:"payload_url"`
	Interface                   types.String `tfsdk:"interface"`
	ServiceName                 types.String `tfsdk:"service_name"`
	ConfigData                  types.Map    `tfsdk:"config_data"`
	AvatarFile                  types.String `tfsdk:"avatar_file"`
	AvatarSHA256                types.String `tfsdk:"avatar_sha256"`
	AvatarURL                   types.String `tfsdk:"avatar_url"`
	AdoptDeactivated            types.Bool   `tfsdk:"adopt_deactivated"`
}

// The names of types and interfaces, by their numbers in the API.
var (
	typeNames      = []string{"", "generic", "incoming_webhook", "outgoing_webhook", "embedded"}
	interfaceNames = []string{"", "generic", "slack"}
)

// name returns the name of a number; a number that this provider does not know is in digits.
func name(names []string, number int64) string {
	if number > 0 && number < int64(len(names)) {
		return names[number]
	}
	return fmt.Sprint(number)
}

// number returns the number of a name; zero if it has none.
func number(names []string, name string) int64 {
	for i, known := range names {
		if i > 0 && known == name {
			return int64(i)
		}
	}
	return 0
}

func (m *botModel) botType() zulip.BotType {
	return zulip.BotType(number(typeNames, m.BotType.ValueString()))
}

// typeOf returns the type of a bot; zero if the server did not send it.
func typeOf(user *zulip.User) zulip.BotType {
	if user.BotType == nil {
		return 0
	}
	return zulip.BotType(*user.BotType)
}

// botSuffix ends the local part of the email that the server makes from a short name.
const botSuffix = "-bot"

// shortName returns the short name in a bot's email.
func shortName(address string) string {
	local, _, _ := strings.Cut(address, "@")
	return strings.TrimSuffix(local, botSuffix)
}

// hasShortName reports whether a bot's email has a short name. The server ignores case when it compares emails.
func hasShortName(user *zulip.User, name string) bool {
	return strings.EqualFold(shortName(user.Address()), name)
}

// address returns the email of a bot with the short name; "" if it is not known.
func (m *botModel) address(s *snapshot.Snapshot) string {
	domain := s.Realm().BotDomain
	if domain == "" || !base.IsSet(m.ShortName) {
		return ""
	}
	return m.ShortName.ValueString() + botSuffix + "@" + domain
}

// channelFields are the attributes that name a channel.
var channelFields = map[string]func(*botModel) *types.String{
	"default_sending_stream":         func(m *botModel) *types.String { return &m.DefaultSendingStream },
	"default_events_register_stream": func(m *botModel) *types.String { return &m.DefaultEventsRegisterStream },
}

// readBotInto sets the model to the server's values. It keeps values that the server does not show, such as the type of a
// bot on an unsupported server. It also keeps the configuration of a bot that is no longer listed because another
// account owns it.
func readBotInto(m *botModel, user *zulip.User, c *core.Call) {
	s := c.Snapshot
	isRenamed := renamesInPlace(c.Base) && !m.Email.IsNull() && !strings.EqualFold(m.Email.ValueString(), user.Address()) && !hasShortName(user, m.ShortName.ValueString())
	if m.ShortName.IsNull() || isRenamed {
		m.ShortName = types.StringValue(shortName(user.Address()))
	}
	m.ID, m.Email, m.Role = types.Int64Value(user.ID), types.StringValue(user.Address()), types.StringValue(user.Role.String())
	if strings.TrimSpace(m.FullName.ValueString()) != user.FullName {
		m.FullName = types.StringValue(user.FullName)
	}
	if user.BotType != nil {
		m.BotType = types.StringValue(name(typeNames, *user.BotType))
	}
	m.Owner, m.OwnerID = ownerText(m.Owner, user.BotOwnerID, s), types.Int64PointerValue(user.BotOwnerID)
	m.avatar().read(user)
	bot, isListed := s.Bots().ByID(user.ID)
	if !isListed {
		return
	}
	m.DefaultSendingStream = channelText(m.DefaultSendingStream, bot.DefaultSendingStream, s)
	m.DefaultEventsRegisterStream = channelText(m.DefaultEventsRegisterStream, bot.DefaultEventsRegisterStream, s)
	m.DefaultAllPublicStreams = types.BoolValue(bot.DefaultAllPublicStreams)
	if typeOf(user) != zulip.BotOutgoingWebhook {
		m.PayloadURL, m.Interface = types.StringNull(), types.StringNull()
	} else if len(bot.Services) > 0 { // the account's own list of bots lacks them
		m.PayloadURL = types.StringValue(bot.Services[0].BaseURL)
		m.Interface = types.StringValue(name(interfaceNames, bot.Services[0].Interface))
	}
}

func (m *botModel) avatar() avatar { return avatar{&m.AvatarFile, &m.AvatarSHA256, &m.AvatarURL} }

// ownerText returns the owner in the form of prior if both mean the same person. Old bots may have no owner.
func ownerText(prior types.String, id *int64, s *snapshot.Snapshot) types.String {
	if id == nil {
		return types.StringNull()
	}
	if owner, ok := s.User(*id); ok {
		return types.StringValue(lookup.KeepUser(prior.ValueString(), owner, s))
	}
	return types.StringValue(fmt.Sprint(*id))
}

// channelText returns the server's channel in the form of prior if both mean the same channel; "" is none.
func channelText(prior types.String, name *string, s *snapshot.Snapshot) types.String {
	if name == nil {
		return types.StringValue("")
	}
	channel, ok := s.Channels().ByName(*name)
	if !ok {
		return types.StringValue(*name) // a channel that the account does not see
	}
	return types.StringValue(lookup.KeepChannel(prior.ValueString(), channel.ID, s))
}

// keepPrior gives attributes their prior value if both mean the same. A name or an email that differs is not kept: the same
// plan can change it, and then it means nothing in the apply.
func (m *botModel) keepPrior(prior *botModel, s *snapshot.Snapshot) {
	if base.IsSet(m.FullName) && strings.TrimSpace(m.FullName.ValueString()) == strings.TrimSpace(prior.FullName.ValueString()) {
		m.FullName = prior.FullName
	}
	staysOwner := !strings.Contains(prior.Owner.ValueString(), "@") || strings.EqualFold(m.Owner.ValueString(), prior.Owner.ValueString())
	if base.IsSet(m.Owner) && base.IsSet(prior.Owner) && staysOwner {
		if owner, err := lookup.User(s, m.Owner.ValueString()); err == nil && lookup.KeepUser(prior.Owner.ValueString(), owner, s) == prior.Owner.ValueString() {
			m.Owner = prior.Owner
		}
	}
	for _, field := range channelFields {
		planned, before := field(m), *field(prior)
		_, _, isID := permission.NameOrID(before.ValueString())
		if !base.IsSet(*planned) || planned.ValueString() == "" || !isID && !strings.EqualFold(planned.ValueString(), before.ValueString()) {
			continue
		}
		if channel, err := lookup.Channel(s, planned.ValueString()); err == nil && lookup.KeepChannel(before.ValueString(), channel.ID, s) == before.ValueString() {
			*planned = before
		}
	}
}

// changes returns the changes that turn the current bot into the planned one.
func (m *botModel) changes(user *zulip.User, current *botModel, s *snapshot.Snapshot) (zulip.BotUpdate, error) {
	update := zulip.BotUpdate{Config: m.newConfig(current)}
	bot, isListed := s.Bots().ByID(user.ID)
	if !isListed {
		return update, errors.New("the server does not list the bot among those that the provider's account manages, so that its settings are unknown. " +
			"It lists a bot for its owner and for administrators. If several clients change bots at the same time, its list can lack a bot until a bot changes again")
	}
	var diags diag.Diagnostics
	if name := strings.TrimSpace(m.FullName.ValueString()); name != user.FullName {
		update.FullName = &name
	}
	if !m.ShortName.Equal(current.ShortName) && !hasShortName(user, m.ShortName.ValueString()) {
		update.ShortName = m.ShortName.ValueStringPointer()
	}
	if role, ok := zulip.ParseRole(m.Role.ValueString()); ok && role != user.Role {
		update.Role = &role
	}
	if !m.Owner.Equal(current.Owner) {
		owner, err := lookup.User(s, m.Owner.ValueString())
		switch {
		case err != nil:
			lookup.AddError(&diags, path.Root("owner"), err, "")
		case user.BotOwnerID != nil && *user.BotOwnerID == owner.ID: // only the email is another
		case !owner.IsActive:
			refuseInactiveOwner(owner, &diags)
		default:
			update.OwnerID = &owner.ID
		}
	}
	update.DefaultSendingStream = m.channelChange("default_sending_stream", current, s, &diags)
	update.DefaultEventsRegisterStream = m.channelChange("default_events_register_stream", current, s, &diags)
	if !m.DefaultAllPublicStreams.Equal(current.DefaultAllPublicStreams) {
		update.DefaultAllPublicStreams = m.DefaultAllPublicStreams.ValueBoolPointer()
	}
	if !m.PayloadURL.Equal(current.PayloadURL) || !m.Interface.Equal(current.Interface) {
		planned := m.service(bot)
		update.Service = &planned
	}
	return update, core.AsError(diags)
}

// channelChange returns the name of a planned channel to send; nil if it does not change.
func (m *botModel) channelChange(attribute string, current *botModel, s *snapshot.Snapshot, diags *diag.Diagnostics) *string {
	planned, name := *channelFields[attribute](m), ""
	if planned.Equal(*channelFields[attribute](current)) {
		return nil
	}
	if planned.ValueString() != "" {
		channel, err := lookup.Channel(s, planned.ValueString())
		if err != nil {
			base.Report(diags, "", lookup.NoSuchChannel(path.Root(attribute), err))
			return nil
		}
		name = channel.Name
	}
	return &name
}

// service returns the URL and interface of an outgoing webhook. An unmanaged interface is unchanged.
func (m *botModel) service(bot *zulip.Bot) zulip.BotService {
	planned := zulip.BotService{BaseURL: m.PayloadURL.ValueString(), Interface: 1}
	if len(bot.Services) > 0 {
		planned.Interface = bot.Services[0].Interface
	}
	if base.IsSet(m.Interface) {
		planned.Interface = number(interfaceNames, m.Interface.ValueString())
	}
	return planned
}

// config returns the settings of the bot's service, as far as they are known and not null.
func (m *botModel) config() map[string]string {
	config := map[string]string{}
	for key, element := range m.ConfigData.Elements() {
		if text, ok := element.(types.String); ok && base.IsSet(text) {
			config[key] = text.ValueString()
		}
	}
	return config
}

// newConfig returns the settings that differ from those written last, because the server does not show them.
func (m *botModel) newConfig(prior *botModel) map[string]string {
	planned, before := m.config(), prior.config()
	maps.DeleteFunc(planned, func(key, value string) bool { written, ok := before[key]; return ok && written == value })
	return planned
}

// NewBotList returns the list resource zulip_bot: the bots that the provider's account can manage.
func NewBotList() list.ListResource {
	return core.NewList(core.ListDefinition[zulip.User]{
		Name: "bot", Plural: "bots",
		ListText: core.ListText{Called: "email address", Description: "Lists all bots if the provider's account is an administrator, otherwise its own bots."},
		Objects: core.FromSnapshot((*snapshot.Snapshot).Users, func(s *snapshot.Snapshot, user *zulip.User) bool {
			_, isManaged := s.Bots().ByID(user.ID)
			return isManaged && !user.IsDeleted
		}, store.Bots),
		Key:    func(bot *zulip.User) any { return bot.ID },
		Label:  func(bot *zulip.User, _ *snapshot.Snapshot) string { return bot.Address() },
		IsGone: func(bot *zulip.User) bool { return !bot.IsActive }, GoneWord: "deactivated",
		Filters: []core.ListFilter[zulip.User]{
			accounts.RoleFilter(),
			{
				Name: "owner", Description: "Lists only the bots of this person: the address or the ID.",
				Select: func(s *snapshot.Snapshot, text string) (func(*zulip.User) bool, error) {
					owner, err := lookup.User(s, text)
					if err != nil {
						return nil, err
					}
					return func(bot *zulip.User) bool { return bot.BotOwnerID != nil && *bot.BotOwnerID == owner.ID }, nil
				},
			},
		},
	})
}
