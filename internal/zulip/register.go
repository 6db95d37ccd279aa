package zulip

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// The parts of an organization that [Client.Register] can fetch, as the API calls them
// (server-behavior §R21).
const (
	FetchRealm          = "realm"
	FetchUserGroups     = "realm_user_groups"
	FetchChannels       = "stream"
	FetchDefaultStreams = "default_streams"
	FetchDefaultGroups  = "default_stream_groups"
	FetchFolders        = "channel_folders"
	FetchSubscribers    = "subscription"
	FetchUsers          = "realm_user"
	FetchProfileFields  = "custom_profile_fields"
	FetchLinkifiers     = "realm_linkifiers"
	FetchStatuses       = "user_status"
	FetchCustomEmoji    = "realm_emoji"
	FetchUserDefaults   = "realm_user_settings_defaults"
	FetchPlaygrounds    = "realm_playgrounds"
	FetchDomains        = "realm_domains"
	FetchBots           = "realm_bot"
)

// FetchAll are all parts.
var FetchAll = []string{
	FetchRealm, FetchUserGroups, FetchChannels, FetchDefaultStreams, FetchDefaultGroups, FetchFolders, FetchSubscribers, FetchUsers,
	FetchProfileFields, FetchLinkifiers, FetchStatuses, FetchCustomEmoji, FetchUserDefaults, FetchPlaygrounds, FetchDomains, FetchBots,
}

// RegisterAnswer is the answer of [Client.Register]. Parts that were not requested are nil.
type RegisterAnswer struct {
	QueueID        string
	FeatureLevel   int
	ZulipVersion   string
	Realm          *Realm
	UserGroups     []*UserGroup
	Channels       []*Channel
	DefaultStreams []int64
	DefaultGroups  []*DefaultChannelGroup
	Folders        []*ChannelFolder
	// Subscribers are the active people and bots in each active channel by its ID, ascending. The server shows
	// administrators those of every channel. For others the list of a private channel may be empty although it is not.
	Subscribers map[int64][]int64
	// Users are the people and bots of the organization, active and deactivated, the
	// server's own bots included.
	Users         []*User
	ProfileFields []*ProfileField
	// Linkifiers are in the order in which they are tried.
	Linkifiers []*Linkifier
	// Statuses are the non-empty statuses of active people, by user ID.
	Statuses map[int64]Status
	// UserDefaults are the settings that new accounts start with, by name (server-behavior §O8).
	UserDefaults map[string]json.RawMessage
	// CustomEmoji are the organization's own, deactivated ones included.
	CustomEmoji []*CustomEmoji
	Playgrounds []*Playground
	Domains     []*Domain
	// Bots are the account's own, active or not, and for administrators all bots.
	Bots []*Bot
	// OwnBots is the result of [Client.OwnBots], if the caller reads it too.
	OwnBots map[string]*Bot
}

// Realm holds the organization's settings.
type Realm struct {
	// FeatureLevel is the API feature level of the server; zero if that is not known.
	FeatureLevel                int `json:"-"`
	MaxChannelNameLength        int `json:"max_stream_name_length"`
	MaxChannelDescriptionLength int `json:"max_stream_description_length"`
	// WaitingPeriodThreshold is how many days a member waits to be a full one.
	WaitingPeriodThreshold int `json:"realm_waiting_period_threshold"`
	MaxMessageLength       int `json:"max_message_length"`
	MaxTopicLength         int `json:"max_topic_length"`
	// BotDomain is the end of the addresses of new bots.
	BotDomain string `json:"realm_bot_domain"`
	// EmojiDataURL is the address of the names of the standard emoji, for [Client.EmojiNames]. Servers have it from feature
	// level 140 on.
	EmojiDataURL string `json:"server_emoji_data_url"`

	// SupportedPermissions has the rules of each permission, by kind: realm, stream, group (server-behavior §P7).
	SupportedPermissions map[string]map[string]SupportedPermission `json:"server_supported_permission_settings"`

	// Permissions are the organization's own settings, by name without `realm_`.
	Permissions map[string]GroupSettingValue `json:"-"`
	// Settings are the other settings of the organization as the API sends them, by name
	// without `realm_` (server-behavior §O3).
	Settings map[string]json.RawMessage `json:"-"`
	// AuthenticationMethods are the ways to log in that the server has, by name.
	AuthenticationMethods map[string]AuthenticationMethod `json:"realm_authentication_methods"`
	// VideoChatProviders are the providers of calls the server is set up for.
	VideoChatProviders map[string]VideoChatProvider `json:"realm_available_video_chat_providers"`
	// OffersWebPublicChannels reports whether the server has channels that anyone on the internet reads at all; nil if it
	// does not say.
	OffersWebPublicChannels *bool `json:"server_web_public_streams_enabled"`
	// SendsDigestEmails reports whether the server sends digests at all; nil if it does
	// not say.
	SendsDigestEmails *bool `json:"settings_send_digest_emails"`
}

// SupportedPermission describes one permission (server-behavior §P7).
type SupportedPermission struct {
	RequireSystemGroup     bool     `json:"require_system_group"`
	AllowInternetGroup     bool     `json:"allow_internet_group"`
	AllowNobodyGroup       bool     `json:"allow_nobody_group"`
	AllowEveryoneGroup     bool     `json:"allow_everyone_group"`
	DefaultGroupName       string   `json:"default_group_name"`
	DefaultForSystemGroups *string  `json:"default_for_system_groups"`
	AllowedSystemGroups    []string `json:"allowed_system_groups"`
}

// clientCapabilities make the answer complete: without them the server leaves out
// deactivated groups and archived channels. The first key is mandatory (server-behavior §R22).
var clientCapabilities = map[string]bool{
	"notification_settings_null":     true,
	"linkifier_url_template":         true,
	"include_deactivated_groups":     true,
	"archived_channels":              true,
	"user_list_incomplete":           true,
	"user_avatar_url_field_optional": true,
}

// Register reads parts of the organization in one request. The server opens an event
// queue for it; [Client.DeleteQueue] closes it.
func (c *Client) Register(ctx context.Context, parts []string) (*RegisterAnswer, error) {
	form := params{
		"event_types":         []string{},
		"fetch_event_types":   parts,
		"client_capabilities": clientCapabilities,
		"client_gravatar":     true, // shorter, without URLs of avatars
		"include_subscribers": when(slices.Contains(parts, FetchSubscribers), text("true")),
	}.form()
	var snapshot RegisterAnswer
	err := c.stream(ctx, http.MethodPost, registerPath, form, safeToRetry, func(decoder *json.Decoder) error {
		snapshot = RegisterAnswer{}
		return snapshot.decode(decoder, slices.Contains(parts, FetchRealm))
	})
	if err != nil {
		return nil, err
	}
	return &snapshot, nil
}

// deleteQueueTimeout is how long [Client.DeleteQueue] waits for an answer.
const deleteQueueTimeout = 2 * time.Second

// DeleteQueue closes the event queue that [Client.Register] opened. It is not an error if the queue no longer exists. The
// server also drops an idle queue (server-behavior §R24), so the request is sent once with a short timeout.
func (c *Client) DeleteQueue(ctx context.Context, queueID string) error {
	ctx, cancel := context.WithTimeout(ctx, deleteQueueTimeout)
	defer cancel()
	isGone := func(err error) bool { return IsCode(err, "BAD_EVENT_QUEUE_ID") }
	return ignoreError(isGone, c.do(ctx, http.MethodDelete, eventsPath, params{"queue_id": text(queueID)}.form(), sendOnce))
}

// decode reads the answer key by key and stores the keys that have a field in the snapshot.
func (s *RegisterAnswer) decode(decoder *json.Decoder, withRealm bool) error {
	realm := &Realm{Permissions: map[string]GroupSettingValue{}, Settings: map[string]json.RawMessage{}}
	if withRealm {
		s.Realm = realm
	}
	return eachField(decoder, func(name string) error {
		switch name {
		case "queue_id":
			return decoder.Decode(&s.QueueID)
		case "zulip_feature_level":
			err := decoder.Decode(&s.FeatureLevel)
			realm.FeatureLevel = s.FeatureLevel
			return err
		case "zulip_version":
			return decoder.Decode(&s.ZulipVersion)
		case "realm_user_groups":
			return decodeRows(decoder, &s.UserGroups, (*userGroupRow).group)
		case "streams":
			return decodeRows(decoder, &s.Channels, (*channelRow).channel)
		case "realm_default_streams":
			return decoder.Decode((*channelIDs)(&s.DefaultStreams))
		case "realm_default_stream_groups":
			return decodeList(decoder, &s.DefaultGroups)
		case "channel_folders":
			return decodeList(decoder, &s.Folders)
		case "subscriptions", "unsubscribed", "never_subscribed":
			return s.decodeSubscribers(decoder)
		case "custom_profile_fields":
			return decodeList(decoder, &s.ProfileFields)
		case "realm_linkifiers":
			return decodeList(decoder, &s.Linkifiers)
		case "realm_bots":
			return decodeList(decoder, &s.Bots)
		case "user_status":
			return decoder.Decode(&s.Statuses)
		case "realm_user_settings_defaults":
			return decoder.Decode(&s.UserDefaults)
		case "realm_emoji":
			return s.decodeCustomEmoji(decoder)
		case "realm_playgrounds":
			return decodeList(decoder, &s.Playgrounds)
		case "realm_domains":
			return decodeList(decoder, &s.Domains)
		case "realm_users":
			return s.decodeUsers(decoder, true)
		case "realm_non_active_users":
			return s.decodeUsers(decoder, false)
		case "cross_realm_bots":
			return s.decodeUsers(decoder, true)
		default:
			return realm.decodeField(decoder, name)
		}
	})
}

func withoutNull[T any](list []*T) []*T {
	return slices.DeleteFunc(list, func(one *T) bool { return one == nil })
}

// decodeUsers appends one of the lists of people. The rows do not say whether they
// are active; the list does (server-behavior §R23).
func (s *RegisterAnswer) decodeUsers(decoder *json.Decoder, active bool) error {
	var users []*User
	if err := decodeList(decoder, &users); err != nil {
		return err
	}
	for _, user := range users {
		user.IsActive = active
	}
	s.Users = append(s.Users, users...)
	return nil
}

// channelIDs are IDs in the API, or the whole objects of servers below 330.
type channelIDs []int64

// UnmarshalJSON accepts both.
func (ids *channelIDs) UnmarshalJSON(data []byte) error {
	var rows []json.RawMessage
	if err := json.Unmarshal(data, &rows); err != nil {
		return err
	}
	*ids = make([]int64, 0, len(rows))
	for _, row := range rows {
		var object struct {
			ID int64 `json:"stream_id"`
		}
		if err := json.Unmarshal(row, &object.ID); err != nil {
			if err := json.Unmarshal(row, &object); err != nil {
				return err
			}
		}
		*ids = append(*ids, object.ID)
	}
	return nil
}

// subscribersRow has the stored fields of a channel in the lists of subscriptions.
type subscribersRow struct {
	ID          int64   `json:"stream_id"`
	Subscribers []int64 `json:"subscribers"`
}

// decodeSubscribers adds one of the lists of channels: the account's current, former, and other channels.
func (s *RegisterAnswer) decodeSubscribers(decoder *json.Decoder) error {
	var channels []subscribersRow
	if err := decoder.Decode(&channels); err != nil {
		return err
	}
	if s.Subscribers == nil {
		s.Subscribers = make(map[int64][]int64, len(channels))
	}
	for _, channel := range channels {
		if channel.Subscribers != nil {
			slices.Sort(channel.Subscribers)
			s.Subscribers[channel.ID] = channel.Subscribers
		}
	}
	return nil
}

// decodeField stores one setting of the organization, or skips it.
func (r *Realm) decodeField(decoder *json.Decoder, name string) error {
	switch name {
	case "max_stream_name_length":
		return decoder.Decode(&r.MaxChannelNameLength)
	case "max_stream_description_length":
		return decoder.Decode(&r.MaxChannelDescriptionLength)
	case "realm_available_video_chat_providers":
		return decoder.Decode(&r.VideoChatProviders)
	case "server_web_public_streams_enabled":
		return decoder.Decode(&r.OffersWebPublicChannels)
	case "settings_send_digest_emails":
		return decoder.Decode(&r.SendsDigestEmails)
	case "max_message_length":
		return decoder.Decode(&r.MaxMessageLength)
	case "max_topic_length":
		return decoder.Decode(&r.MaxTopicLength)
	case "realm_bot_domain":
		return decoder.Decode(&r.BotDomain)
	case "server_emoji_data_url":
		return decoder.Decode(&r.EmojiDataURL)
	case "server_supported_permission_settings":
		return decoder.Decode(&r.SupportedPermissions)
	}
	var raw json.RawMessage
	if err := decoder.Decode(&raw); err != nil {
		return err
	}
	return r.storeField(name, raw)
}

// ServerSettings are the server's public settings (https://zulip.com/api/get-server-settings).
type ServerSettings struct {
	ZulipVersion                string          `json:"zulip_version"`
	ZulipMergeBase              string          `json:"zulip_merge_base"`
	ZulipFeatureLevel           int             `json:"zulip_feature_level"`
	PushNotificationsEnabled    bool            `json:"push_notifications_enabled"`
	IsIncompatible              bool            `json:"is_incompatible"`
	EmailAuthEnabled            bool            `json:"email_auth_enabled"`
	RequireEmailFormatUsernames bool            `json:"require_email_format_usernames"`
	RealmURL                    string          `json:"realm_url"`
	RealmURI                    string          `json:"realm_uri"`
	RealmName                   string          `json:"realm_name"`
	RealmIcon                   string          `json:"realm_icon"`
	RealmDescription            string          `json:"realm_description"`
	RealmWebPublicAccessEnabled bool            `json:"realm_web_public_access_enabled"`
	AuthenticationMethods       map[string]bool `json:"authentication_methods"`

	ExternalAuthenticationMethods []ExternalAuthenticationMethod `json:"external_authentication_methods"`
}

// ExternalAuthenticationMethod is one way to sign in through another service.
// LoginURL and SignupURL are relative to the organization's URL.
type ExternalAuthenticationMethod struct {
	Name        string  `json:"name"`
	DisplayName string  `json:"display_name"`
	DisplayIcon *string `json:"display_icon"`
	LoginURL    string  `json:"login_url"`
	SignupURL   string  `json:"signup_url"`
}

// ServerSettings reads the server's public settings. It sends no credentials.
func (c *Client) ServerSettings(ctx context.Context) (*ServerSettings, error) {
	var settings ServerSettings
	if _, err := c.sendAnonymous(ctx, http.MethodGet, "/server_settings", nil, safeToRetry, &settings); err != nil {
		return nil, err
	}
	if settings.RealmURL == "" {
		settings.RealmURL = settings.RealmURI
	}
	return &settings, nil
}
