package zulip

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"
)

// Channel is a channel as the server shows it (https://zulip.com/api/get-streams).
type Channel struct {
	ID                         int64  `json:"stream_id"`
	Name                       string `json:"name"`
	Description                string `json:"description"`
	InviteOnly                 bool   `json:"invite_only"`
	IsWebPublic                bool   `json:"is_web_public"`
	HistoryPublicToSubscribers bool   `json:"history_public_to_subscribers"`
	// MessageRetentionDays is nil for the organization's default and -1 for
	// unlimited (server-behavior §C4).
	MessageRetentionDays *int64 `json:"message_retention_days"`
	TopicsPolicy         string `json:"topics_policy"`
	// DefaultPushNotifications is nil below feature level 507.
	DefaultPushNotifications *bool  `json:"default_push_notifications"`
	FolderID                 *int64 `json:"folder_id"`
	IsArchived               bool   `json:"is_archived"`
	CreatorID                *int64 `json:"creator_id"`
	DateCreated              int64  `json:"date_created"`
	SubscriberCount          int64  `json:"subscriber_count"`
	// IsDefault is set only by [Client.Channels]. [Client.Channel] cannot read it (server-behavior §C2).
	IsDefault bool `json:"is_default"`

	// Permissions are the channel's settings by name; one the server does not have
	// is absent.
	Permissions map[string]GroupSettingValue `json:"-"`
}

// Privacy is who can join a channel and whether new subscribers see its history. It replaces the API's three flags.
type Privacy string

// The four kinds of channel.
const (
	PrivacyPublic                  Privacy = "public"
	PrivacyWebPublic               Privacy = "web_public"
	PrivacyPrivateSharedHistory    Privacy = "private_shared_history"
	PrivacyPrivateProtectedHistory Privacy = "private_protected_history"
)

// Privacies lists every kind, widest first.
var Privacies = []Privacy{PrivacyWebPublic, PrivacyPublic, PrivacyPrivateSharedHistory, PrivacyPrivateProtectedHistory}

// IsPrivate reports whether only subscribers read the channel.
func (p Privacy) IsPrivate() bool {
	return p == PrivacyPrivateSharedHistory || p == PrivacyPrivateProtectedHistory
}

// Privacy returns the one word for the channel's three flags.
func (c *Channel) Privacy() Privacy {
	switch {
	case c.IsWebPublic:
		return PrivacyWebPublic
	case !c.InviteOnly:
		return PrivacyPublic
	case c.HistoryPublicToSubscribers:
		return PrivacyPrivateSharedHistory
	default:
		return PrivacyPrivateProtectedHistory
	}
}

// UnmarshalJSON reads the JSON form.
func (c *Channel) UnmarshalJSON(data []byte) error {
	var row channelRow
	if err := json.Unmarshal(data, &row); err != nil {
		return fmt.Errorf("channel: %w", err)
	}
	*c = *row.channel()
	return nil
}

type plainChannel Channel

// channelRow is a channel as the API sends it. One pass over thousands of channels with eleven settings each takes half the
// time of two.
type channelRow struct {
	plainChannel

	AddSubscribers            settingField `json:"can_add_subscribers_group"`
	AdministerChannel         settingField `json:"can_administer_channel_group"`
	CreateTopic               settingField `json:"can_create_topic_group"`
	DeleteAnyMessage          settingField `json:"can_delete_any_message_group"`
	DeleteOwnMessage          settingField `json:"can_delete_own_message_group"`
	MoveMessagesOutOfChannel  settingField `json:"can_move_messages_out_of_channel_group"`
	MoveMessagesWithinChannel settingField `json:"can_move_messages_within_channel_group"`
	RemoveSubscribers         settingField `json:"can_remove_subscribers_group"`
	SendMessage               settingField `json:"can_send_message_group"`
	Subscribe                 settingField `json:"can_subscribe_group"`
	ResolveTopics             settingField `json:"can_resolve_topics_group"`
}

func (r *channelRow) channel() *Channel {
	channel := Channel(r.plainChannel)
	permissions := make(groupSettings, 11)
	permissions.add("can_add_subscribers_group", r.AddSubscribers)
	permissions.add("can_administer_channel_group", r.AdministerChannel)
	permissions.add("can_create_topic_group", r.CreateTopic)
	permissions.add("can_delete_any_message_group", r.DeleteAnyMessage)
	permissions.add("can_delete_own_message_group", r.DeleteOwnMessage)
	permissions.add("can_move_messages_out_of_channel_group", r.MoveMessagesOutOfChannel)
	permissions.add("can_move_messages_within_channel_group", r.MoveMessagesWithinChannel)
	permissions.add("can_remove_subscribers_group", r.RemoveSubscribers)
	permissions.add("can_send_message_group", r.SendMessage)
	permissions.add("can_subscribe_group", r.Subscribe)
	permissions.add("can_resolve_topics_group", r.ResolveTopics)
	channel.Permissions = permissions
	return &channel
}

// Retention is how long messages of a channel are kept: a number of days, or one of two
// words (server-behavior §C4).
type Retention struct {
	// Days is positive; zero when Word says it.
	Days int64
	// Word is [RetentionUnlimited] or [RetentionDefault].
	Word string
}

// Values of [Retention.Word]: forever, or as long as in the organization.
const (
	RetentionUnlimited = "unlimited"
	RetentionDefault   = "realm_default"
)

// Retention returns how long messages of the channel are kept.
func (c *Channel) Retention() Retention {
	switch days := c.MessageRetentionDays; {
	case days == nil:
		return Retention{Word: RetentionDefault}
	case *days < 0:
		return Retention{Word: RetentionUnlimited}
	default:
		return Retention{Days: *days}
	}
}

// String writes it as attributes have it: a number of days, or the word.
func (r Retention) String() string {
	return cmp.Or(r.Word, strconv.FormatInt(r.Days, 10))
}

// MarshalJSON writes a bare number or a quoted word: the server refuses "30".
func (r Retention) MarshalJSON() ([]byte, error) {
	if r.Word != "" {
		return json.Marshal(r.Word)
	}
	return json.Marshal(r.Days)
}

// ChannelCreate holds the parameters of a new channel. The server uses its default for a nil pointer or an absent
// permission (server-behavior §P9).
type ChannelCreate struct {
	Name                       string
	Subscribers                []int64
	Announce                   *bool
	InviteOnly                 *bool
	IsWebPublic                *bool
	HistoryPublicToSubscribers *bool
	// Settings are sent as in an update, except the name and the privacy, which have fields of their own.
	Settings    ChannelUpdate
	Permissions map[string]GroupSettingValue
}

// form returns everything except the name, description and subscribers, which the two ways to create a channel encode
// differently.
func (n *ChannelCreate) form() *Form {
	settings := n.Settings
	settings.Description, settings.TopicsPolicy, settings.Permissions = nil, nil, nil
	settings.IsWebPublic, settings.HistoryPublicToSubscribers = n.IsWebPublic, n.HistoryPublicToSubscribers
	form := settings.form()
	for name, value := range map[string]*bool{"announce": n.Announce, "invite_only": n.InviteOnly} {
		if value != nil {
			form.JSON(name, *value)
		}
	}
	if policy := n.Settings.TopicsPolicy; policy != nil {
		form.JSON("topics_policy", *policy) // quoted here, bare in the update (server-behavior §C6)
	}
	for name, value := range n.Permissions {
		form.JSON(name, value)
	}
	return form
}

// CreateChannel creates a channel and returns its ID (feature level 417, server-behavior §C7). The client does not retry
// it, because the server refuses the same name a second time. The code for a used name, archived channels included, is
// CHANNEL_ALREADY_EXISTS.
func (c *Client) CreateChannel(ctx context.Context, channel ChannelCreate) (int64, *Answer, error) {
	form := channel.form()
	form.Text("name", channel.Name)
	if description := channel.Settings.Description; description != nil {
		form.Text("description", *description)
	}
	form.JSON("subscribers", orEmpty(channel.Subscribers)) // required, and null is refused
	var id int64
	answer, err := c.send(ctx, http.MethodPost, "/channels/create", form, neverRetry, &field{"id", &id})
	return id, answer, err
}

// CreateChannelBySubscribing creates a channel on servers below feature level 417, by subscribing people to a name that
// does not exist. It returns no ID. If a channel has the name already, even an archived one, the call silently subscribes
// people to that channel. Callers must look up the name before and after (server-behavior §S1). Empty Subscribers means the
// caller.
func (c *Client) CreateChannelBySubscribing(ctx context.Context, channel ChannelCreate) (*Answer, error) {
	subscription := map[string]string{"name": channel.Name}
	if description := channel.Settings.Description; description != nil {
		subscription["description"] = *description
	}
	form := channel.form()
	form.JSON("subscriptions", []map[string]string{subscription})
	if len(channel.Subscribers) > 0 {
		form.JSON("principals", channel.Subscribers)
	}
	return c.send(ctx, http.MethodPost, "/users/me/subscriptions", form, neverRetry, nil)
}

// ChannelUpdate has the changes of an update. Fields that are nil or absent are not sent
// (https://zulip.com/api/update-stream).
type ChannelUpdate struct {
	Name                       *string
	Description                *string
	IsPrivate                  *bool
	IsWebPublic                *bool
	HistoryPublicToSubscribers *bool
	IsDefaultStream            *bool
	MessageRetentionDays       *Retention
	IsArchived                 *bool
	// FolderID points at nil to remove the channel from its folder.
	FolderID                 **int64
	TopicsPolicy             *string
	DefaultPushNotifications *bool
	Permissions              map[string]GroupSettingChange
}

func (u *ChannelUpdate) form() *Form {
	form := params{
		"new_name":                      (*text)(u.Name),
		"description":                   (*text)(u.Description),
		"is_private":                    u.IsPrivate,
		"is_web_public":                 u.IsWebPublic,
		"history_public_to_subscribers": u.HistoryPublicToSubscribers,
		"is_default_stream":             u.IsDefaultStream,
		"message_retention_days":        u.MessageRetentionDays,
		"is_archived":                   u.IsArchived,
		"folder_id":                     u.FolderID,
		"topics_policy":                 (*text)(u.TopicsPolicy),
		"default_push_notifications":    u.DefaultPushNotifications,
	}.form()
	for name, change := range u.Permissions {
		form.JSON(name, change)
	}
	return form
}

// Empty reports whether the update changes nothing.
func (u *ChannelUpdate) Empty() bool { return u.form().Empty() }

// UpdateChannel changes a channel. The server applies the parts one after the other and keeps the parts before a failure
// (server-behavior §C10, §C11). The client does not retry it: the same name is then an error, the same description posts a
// second notice, and an old value no longer matches. Read the channel again and send the missing parts.
func (c *Client) UpdateChannel(ctx context.Context, id int64, update ChannelUpdate) (*Answer, error) {
	return c.send(ctx, http.MethodPatch, channelPath(id), update.form(), neverRetry, nil)
}

// ArchiveChannel archives a channel; nothing is deleted (server-behavior §C14). The
// server refuses a second time with `Channel is already deactivated`.
func (c *Client) ArchiveChannel(ctx context.Context, id int64) error {
	return c.do(ctx, http.MethodDelete, channelPath(id), nil, neverRetry)
}

// Channel reads one channel. The server answers 400 `Invalid channel ID` for an unknown channel and for one that the
// account cannot see. Below feature level 480 it does so for an archived channel too
// (https://zulip.com/api/get-stream-by-id).
func (c *Client) Channel(ctx context.Context, id int64) (*Channel, error) {
	return one[Channel](ctx, c, channelPath(id), nil, "stream")
}

// Channels reads every channel that the account can see, archived ones included. It sets IsDefault (server-behavior §C3).
func (c *Client) Channels(ctx context.Context) ([]*Channel, error) {
	form := params{"include_all": true, "exclude_archived": false, "include_default": true}.form()
	var channels []*Channel
	err := c.stream(ctx, http.MethodGet, "/streams", form, safeToRetry, func(decoder *json.Decoder) error {
		channels = nil
		return onlyField(decoder, "streams", func() error { return decodeRows(decoder, &channels, (*channelRow).channel) })
	})
	return channels, err
}

func channelPath(id int64) string { return itemPath("/streams", id) }

// Topic is a topic of a channel.
type Topic struct {
	Name string `json:"name"`
	// MaxID is the ID of its last message.
	MaxID int64 `json:"max_id"`
}

// Topics reads the topics of a channel, the one with the newest message first. A private channel with protected history
// shows only topics in which the account has received a message (server-behavior §C21).
func (c *Client) Topics(ctx context.Context, channel int64) ([]Topic, error) {
	form := params{"allow_empty_topic_name": true}.form()
	return sendFor[[]Topic](ctx, c, http.MethodGet, itemPath("/users/me", channel)+"/topics", form, safeToRetry, "topics")
}

// ChannelFolder is a folder of channels (https://zulip.com/api/get-channel-folders).
type ChannelFolder struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Order is the place among the folders; zero for all on servers that keep none.
	Order     int64  `json:"order"`
	CreatorID *int64 `json:"creator_id"`
	// DateCreated is in seconds since 1970, UTC.
	DateCreated int64 `json:"date_created"`
	IsArchived  bool  `json:"is_archived"`
}

// ChannelFolderUpdate has the changes of an update. Fields that are nil are not sent.
type ChannelFolderUpdate struct {
	Name        *string
	Description *string
	IsArchived  *bool
}

// ChannelFolders reads every folder, archived ones included, in their order.
func (c *Client) ChannelFolders(ctx context.Context) ([]*ChannelFolder, error) {
	return list[ChannelFolder](ctx, c, "/channel_folders", params{"include_archived": true}.form(), "channel_folders")
}

// CreateChannelFolder creates a folder, the last in the order, and returns its ID. The client does not retry it, because
// the server refuses the name of an active folder ([IsFolderNameTaken]), including the new one.
func (c *Client) CreateChannelFolder(ctx context.Context, name, description string) (int64, error) {
	return c.create(ctx, "/channel_folders/create", params{
		"name":        text(name),
		"description": text(description), // required, may be empty
	}.form(), neverRetry, "channel_folder_id")
}

// UpdateChannelFolder changes a folder. The server applies name, description and archiving one after the other, and keeps
// those before a failure (server-behavior §F6). It skips current values, so the call can be repeated. It does not archive a
// folder that contains a channel, archived or not ([IsFolderInUse]).
func (c *Client) UpdateChannelFolder(ctx context.Context, id int64, update ChannelFolderUpdate) error {
	return c.do(ctx, http.MethodPatch, itemPath("/channel_folders", id), params{
		"name":        (*text)(update.Name),
		"description": (*text)(update.Description),
		"is_archived": update.IsArchived,
	}.form(), safeToRetry)
}

// OrderChannelFolders sets the order of the folders. ids must contain every folder, archived ones included; otherwise the
// error satisfies [IsIncompleteOrder].
func (c *Client) OrderChannelFolders(ctx context.Context, ids []int64) error {
	return c.do(ctx, http.MethodPatch, "/channel_folders", params{"order": ids}.form(), safeToRetry)
}

// IsFolderNameTaken reports whether an active folder has the name, ignoring case.
func IsFolderNameTaken(err error) bool { return IsMessage(err, "Channel folder name already in use") }

// IsFolderInUse reports whether a folder cannot be archived because of the channels in it.
func IsFolderInUse(err error) bool {
	return IsMessage(err, "You need to remove all the channels from this folder to archive it.")
}

// IsNoFolder reports whether the organization has no such folder.
func IsNoFolder(err error) bool { return IsMessage(err, "Invalid channel folder ID") }

// IsIncompleteOrder reports whether an order of folders, linkifiers or profile fields lacks one of them, for example one
// created since the last read.
func IsIncompleteOrder(err error) bool {
	return IsMessage(err, "Invalid order mapping.", "The ordered list must enumerate all existing linkifiers exactly once")
}

// FoldName returns the name of a channel or folder in the form that the server compares: characters with the same
// capital are equal, one by one (server-behavior §C23). A letter is small if the capital has one.
func FoldName(name string) string {
	return strings.Map(func(r rune) rune {
		capital := unicode.ToUpper(r)
		if small := unicode.ToLower(capital); unicode.ToUpper(small) == capital {
			return small
		}
		return capital
	}, name)
}
