package recording

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// levelArchivedInSnapshot is the feature level from which a snapshot has archived channels.
const levelArchivedInSnapshot = 378

// parts are the parts that one request reads: all but statuses.
var parts = slices.DeleteFunc(slices.Clone(zulip.FetchAll), func(part string) bool { return part == zulip.FetchStatuses })

// Read reads an organization with four requests: the account, a snapshot and the end of its event queue, and the
// invitations. The account must be an administrator or owner, because others don't see everything.
func Read(ctx context.Context, client *zulip.Client) (*Organization, error) {
	me, err := client.Me(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the account: %w", err)
	}
	if me.Role > zulip.RoleAdministrator {
		return nil, fmt.Errorf("recording an organization needs an administrator or owner: %s is a %s, who is not shown the whole", me.Address(), me.Role)
	}
	read, err := client.Register(ctx, parts)
	if err != nil {
		return nil, fmt.Errorf("reading the organization: %w", err)
	}
	if err := client.DeleteQueue(ctx, read.QueueID); err != nil {
		// The server drops an idle queue by itself after ten minutes (server-behavior §R24).
		tflog.Warn(ctx, "Cannot close the event queue of the snapshot", map[string]any{"error": err.Error()})
	}
	if read.FeatureLevel < levelArchivedInSnapshot {
		if read.Channels, err = client.Channels(ctx); err != nil {
			return nil, fmt.Errorf("reading the channels: %w", err)
		}
	}
	invitations, err := client.Invitations(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the invitations: %w", err)
	}
	return from(read, invitations)
}

// from returns the organization of an answer.
func from(read *zulip.RegisterAnswer, invitations []*zulip.Invitation) (*Organization, error) {
	if read.Realm == nil {
		return nil, fmt.Errorf("reading the organization: the server has not told its settings")
	}
	o := &Organization{Format: Format, Server: Server{read.ZulipVersion, read.FeatureLevel}, NotSeen: []string{}}
	var err error
	if o.Realm, err = realm(read.Realm); err != nil {
		return nil, err
	}
	if o.UserDefaults, err = settings(read.UserDefaults); err != nil {
		return nil, err
	}
	delete(o.UserDefaults, "available_notification_sounds") // which is not a setting
	delete(o.UserDefaults, "emojiset_choices")
	o.SystemBots, o.Accounts = accounts(read.Users)
	o.Bots = bots(read.Bots)
	o.UserGroups = userGroups(read.UserGroups)
	o.Folders = byID(read.Folders, func(folder *zulip.ChannelFolder) int64 { return folder.ID })
	o.Channels = o.channels(read)
	o.Defaults = ascending(read.DefaultStreams)
	o.DefaultGroups = defaultGroups(read.DefaultGroups)
	o.ProfileFields = orEmpty(read.ProfileFields)
	o.Linkifiers = linkifiers(read.Linkifiers)
	o.Playgrounds = byID(read.Playgrounds, func(playground *zulip.Playground) int64 { return playground.ID })
	o.Domains = orEmpty(slices.SortedFunc(slices.Values(read.Domains), func(a, b *zulip.Domain) int { return cmp.Compare(a.Domain, b.Domain) }))
	o.CustomEmoji = customEmoji(read.CustomEmoji)
	o.Invitations = pending(invitations)
	o.noteNotSeen()
	return o, nil
}

// noteNotSeen adds the facts that servers show no one.
func (o *Organization) noteNotSeen() {
	hidden, deactivated := 0, false
	for _, account := range o.Accounts {
		if account.DeliveryEmail == nil && !account.IsBot {
			hidden++
		}
		deactivated = deactivated || !account.IsActive
	}
	if hidden > 0 {
		o.NotSeen = append(o.NotSeen, fmt.Sprintf("real addresses of %d accounts", hidden))
	}
	if deactivated {
		o.NotSeen = append(o.NotSeen, "deactivated accounts in user groups, channels and permissions")
	}
	if len(o.CustomEmoji) > 0 {
		o.NotSeen = append(o.NotSeen, "pictures of custom emoji")
	}
	if len(o.Invitations) > 0 {
		o.NotSeen = append(o.NotSeen, "channels, user groups and welcome messages of invitations")
	}
}

// notSettings are fields of the organization that are not settings: facts about the server, URLs on it, or values for
// older clients that follow from other fields.
var notSettings = []string{
	"allow_edit_history", "create_private_stream_policy", "create_public_stream_policy", "create_web_public_stream_policy",
	"wildcard_mention_policy", "email_auth_enabled", "password_auth_enabled",

	"url", "uri", "icon_url", "logo_url", "night_logo_url", "bot_domain", "empty_topic_display_name", "plan_type", "upload_quota_mib",
	"presence_disabled", "push_notifications_enabled", "push_notifications_enabled_end_timestamp", "owner_full_content_access",
}

func realm(read *zulip.Realm) (Realm, error) {
	all, err := settings(read.Settings)
	for _, name := range notSettings {
		delete(all, name)
	}
	permissions := sortedValues(read.Permissions)
	if permissions == nil {
		permissions = map[string]zulip.GroupSettingValue{}
	}
	return Realm{
		BotDomain: read.BotDomain, Settings: all, Permissions: permissions,
		VideoChatProviders: orEmpty(slices.Sorted(maps.Keys(read.VideoChatProviders))),
	}, err
}

// settings returns the settings with normalized JSON.
func settings(read map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	all := make(map[string]json.RawMessage, len(read))
	for name, raw := range read {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			return nil, fmt.Errorf("setting %s: %w", name, err)
		}
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			return nil, fmt.Errorf("setting %s: %w", name, err)
		}
		all[name] = bytes.TrimSpace(text.Bytes())
	}
	return all, nil
}

func accounts(users []*zulip.User) ([]SystemBot, []Account) {
	systemBots, all := []SystemBot{}, make([]Account, 0, len(users))
	for _, user := range byID(users, func(user *zulip.User) int64 { return user.ID }) {
		if user.IsSystemBot {
			systemBots = append(systemBots, SystemBot{user.ID, user.Email, user.FullName})
			continue
		}
		account := Account{
			ID: user.ID, Email: user.Email, DeliveryEmail: user.DeliveryEmail, FullName: user.FullName, Role: user.Role,
			IsActive: user.IsActive, IsDeleted: user.IsDeleted, IsImportedStub: user.IsImportedStub,
			IsBot: user.IsBot, BotType: user.BotType, BotOwnerID: user.BotOwnerID,
			Timezone: user.Timezone, DateJoined: user.DateJoined,
		}
		for field, value := range user.ProfileData {
			if account.ProfileData == nil {
				account.ProfileData = make(map[string]string, len(user.ProfileData))
			}
			account.ProfileData[field] = value.Value
		}
		all = append(all, account)
	}
	return systemBots, all
}

func bots(read []*zulip.Bot) []Bot {
	all := make([]Bot, 0, len(read))
	for _, bot := range byID(read, func(bot *zulip.Bot) int64 { return bot.UserID }) {
		all = append(all, Bot{bot.UserID, bot.DefaultSendingStream, bot.DefaultEventsRegisterStream, bot.DefaultAllPublicStreams, servicesOf(bot)})
	}
	return all
}

func userGroups(read []*zulip.UserGroup) []UserGroup {
	all := make([]UserGroup, 0, len(read))
	for _, group := range byID(read, func(group *zulip.UserGroup) int64 { return group.ID }) {
		members := ascending(group.Members)
		if group.IsSystemGroup {
			members = []int64{}
		}
		all = append(all, UserGroup{
			ID: group.ID, Name: group.Name, Description: group.Description, IsSystem: group.IsSystemGroup, Deactivated: group.Deactivated,
			CreatorID: group.CreatorID, DateCreated: group.DateCreated, Members: members, Subgroups: ascending(group.DirectSubgroupIDs),
			Permissions: sortedValues(group.Permissions),
		})
	}
	return all
}

func (o *Organization) channels(read *zulip.RegisterAnswer) []Channel {
	all := make([]Channel, 0, len(read.Channels))
	for _, channel := range byID(read.Channels, func(channel *zulip.Channel) int64 { return channel.ID }) {
		subscribers, seen := read.Subscribers[channel.ID]
		if seen {
			subscribers = ascending(subscribers)
		} else {
			o.NotSeen = append(o.NotSeen, fmt.Sprintf("subscribers of channel %d", channel.ID))
		}
		all = append(all, Channel{
			ID: channel.ID, Name: channel.Name, Description: channel.Description,
			InviteOnly: channel.InviteOnly, IsWebPublic: channel.IsWebPublic, HistoryPublicToSubscribers: channel.HistoryPublicToSubscribers,
			MessageRetentionDays: channel.MessageRetentionDays, TopicsPolicy: channel.TopicsPolicy,
			DefaultPushNotifications: channel.DefaultPushNotifications, FolderID: channel.FolderID, IsArchived: channel.IsArchived,
			CreatorID: channel.CreatorID, DateCreated: channel.DateCreated,
			Permissions: sortedValues(channel.Permissions), Subscribers: subscribers,
		})
	}
	return all
}

// servicesOf returns the URLs that a bot sends to, only up to the host, because the rest is often a secret.
func servicesOf(bot *zulip.Bot) []zulip.BotService {
	services := make([]zulip.BotService, 0, len(bot.Services))
	for _, service := range bot.Services {
		host := url.URL{Path: "/"}
		if at, err := url.Parse(service.BaseURL); err == nil {
			host.Scheme, host.Host = at.Scheme, at.Host
		}
		services = append(services, zulip.BotService{BaseURL: host.String(), Interface: service.Interface})
	}
	return services
}

func defaultGroups(read []*zulip.DefaultChannelGroup) []DefaultChannelGroup {
	all := make([]DefaultChannelGroup, 0, len(read))
	for _, group := range byID(read, func(group *zulip.DefaultChannelGroup) int64 { return group.ID }) {
		all = append(all, DefaultChannelGroup{group.ID, group.Name, group.Description, ascending(group.ChannelIDs)})
	}
	return all
}

func linkifiers(read []*zulip.Linkifier) []Linkifier {
	all := make([]Linkifier, 0, len(read))
	for _, linkifier := range read {
		all = append(all, Linkifier(*linkifier))
	}
	return all
}

func customEmoji(read []*zulip.CustomEmoji) []CustomEmoji {
	all := make([]CustomEmoji, 0, len(read))
	for _, emoji := range byID(read, func(emoji *zulip.CustomEmoji) int64 { return emoji.ID }) {
		row := CustomEmoji{ID: emoji.ID, Name: emoji.Name, AuthorID: emoji.AuthorID, Deactivated: emoji.Deactivated}
		if source, err := url.Parse(emoji.SourceURL); err == nil {
			row.FileType = strings.TrimPrefix(path.Ext(source.Path), ".")
		}
		all = append(all, row)
	}
	return all
}

func pending(read []*zulip.Invitation) []Invitation {
	all := make([]Invitation, 0, len(read))
	for _, invitation := range read {
		row := Invitation{
			ID: invitation.ID, IsMultiuse: invitation.IsMultiuse, InvitedAs: invitation.InvitedAs, InvitedByUserID: invitation.InvitedByUserID,
			Invited: invitation.Invited, ExpiryDate: invitation.ExpiryDate, Email: invitation.Email,
		}
		if invitation.NotifyReferrerOnJoin != nil {
			row.NotifyReferrerOnJoin = *invitation.NotifyReferrerOnJoin
		}
		all = append(all, row)
	}
	slices.SortFunc(all, func(a, b Invitation) int {
		kind := func(i Invitation) int {
			if i.IsMultiuse {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(kind(a), kind(b)), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// sortedValues returns permissions whose lists are ascending.
func sortedValues(read map[string]zulip.GroupSettingValue) map[string]zulip.GroupSettingValue {
	values := make(map[string]zulip.GroupSettingValue, len(read))
	for name, value := range read {
		value = value.Clone()
		slices.Sort(value.DirectMembers)
		slices.Sort(value.DirectSubgroups)
		values[name] = value
	}
	return values
}

func byID[T any](list []*T, id func(*T) int64) []*T {
	return orEmpty(slices.SortedStableFunc(slices.Values(list), func(a, b *T) int { return cmp.Compare(id(a), id(b)) }))
}

func ascending(ids []int64) []int64 { return orEmpty(slices.Sorted(slices.Values(ids))) }

// orEmpty returns a list that is written as [] rather than null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
