package rules

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Topics policies of a channel (server-behavior §C15).
const (
	TopicsInherit       = "inherit"
	TopicsAllowEmpty    = "allow_empty_topic"
	TopicsDisableEmpty  = "disable_empty_topic"
	TopicsOnlyEmpty     = "empty_topic_only"
	maxChannelName      = 60
	unlimitedRetention  = -1
	EmptyTopicShownName = "general chat" // how an empty topic is shown
)

// TopicsPolicies lists what topics_policy of a channel may be.
var TopicsPolicies = []string{TopicsInherit, TopicsAllowEmpty, TopicsDisableEmpty, TopicsOnlyEmpty}

// Channel is a channel ("stream" on most of the API).
type Channel struct {
	ID            int                   `json:"id"`
	Name          string                `json:"name"`
	Description   string                `json:"description"`
	Private       bool                  `json:"private,omitempty"`
	WebPublic     bool                  `json:"web_public,omitempty"`
	SharedHistory bool                  `json:"shared_history,omitempty"`
	RetentionDays *int                  `json:"retention_days"` // nil: as the organization; -1: unlimited
	TopicsPolicy  string                `json:"topics_policy"`
	DefaultPush   bool                  `json:"default_push,omitempty"` // of new subscribers
	FolderID      *int                  `json:"folder_id"`
	Archived      bool                  `json:"archived,omitempty"`
	CreatorID     *int                  `json:"creator_id"`
	DateCreated   int64                 `json:"date_created"` // Unix seconds
	Permissions   map[string]GroupValue `json:"permissions"`  // each of ChannelPermissions
}

// channelIndex finds channels by name, whatever its case.
type channelIndex struct {
	byName map[string]int
}

func (o *Organization) indexChannels() {
	o.channels.byName = map[string]int{}
	o.Channels.index(func(id int, before, after *Channel) {
		if before != nil {
			delete(o.channels.byName, strings.ToLower(before.Name))
		}
		if after != nil {
			o.channels.byName[strings.ToLower(after.Name)] = id
		}
	})
}

// ChannelByName finds a channel, archived ones included: they keep their names
// (server-behavior §C7).
func (o *Organization) ChannelByName(name string) (Channel, bool) {
	id, ok := o.channels.byName[strings.ToLower(strings.TrimSpace(name))]
	if !ok {
		return Channel{}, false
	}
	return o.Channels.Get(id)
}

// HasContentAccess reports whether a person may read what is in the channel
// (server-behavior §C16). The role of an administrator does not give it.
func (o *Organization) HasContentAccess(u User, ch Channel) bool {
	if ch.WebPublic || o.IsSubscribed(u.ID, ch.ID) {
		return true
	}
	if u.IsGuest() {
		return false
	}
	return !ch.Private || o.mayChannel(u, ch, "can_subscribe_group") || o.mayChannel(u, ch, "can_add_subscribers_group")
}

// HasMetadataAccess reports whether a person may know of the channel (server-behavior §C16).
func (o *Organization) HasMetadataAccess(u User, ch Channel) bool {
	return u.IsAdmin() || o.HasContentAccess(u, ch) || o.mayChannel(u, ch, "can_administer_channel_group")
}

// Administers reports whether a person is the channel's administrator.
func (o *Organization) Administers(u User, ch Channel) bool {
	return u.IsAdmin() || o.mayChannel(u, ch, "can_administer_channel_group")
}

func (o *Organization) mayChannel(u User, ch Channel, right string) bool {
	p, ok := FindPermission(ChannelPermissions, right)
	return ok && o.Has(u, p, ch.Permissions[right])
}

// ReadableChannel returns an active channel whose metadata the person may see.
func (o *Organization) ReadableChannel(u User, id int) (Channel, error) {
	ch, ok := o.Channels.Get(id)
	if !ok || ch.Archived || !o.HasMetadataAccess(u, ch) {
		return Channel{}, errInvalidChannelID
	}
	return ch, nil
}

// ShownChannel is ReadableChannel for what only shows the channel: servers of
// feature level 480 and later show archived ones too.
func (o *Organization) ShownChannel(u User, id int) (Channel, error) {
	ch, ok := o.Channels.Get(id)
	if !ok || o.hidesArchived(ch) || !o.HasMetadataAccess(u, ch) {
		return Channel{}, errInvalidChannelID
	}
	return ch, nil
}

func (o *Organization) hidesArchived(ch Channel) bool {
	return ch.Archived && o.level() < featurelevel.ArchivedChannels
}

// ChannelContent returns an active channel whose content the person may read.
func (o *Organization) ChannelContent(u User, id int) (Channel, error) {
	ch, ok := o.Channels.Get(id)
	if !ok || ch.Archived || !o.HasContentAccess(u, ch) {
		return Channel{}, errInvalidChannelID
	}
	return ch, nil
}

// ChannelContentByName is ChannelContent for a name (server-behavior §C19).
func (o *Organization) ChannelContentByName(u User, name string) (Channel, error) {
	ch, ok := o.ChannelByName(name)
	if !ok || ch.Archived || !o.HasContentAccess(u, ch) {
		return Channel{}, Refuse("Invalid channel name '%s'", name)
	}
	return ch, nil
}

// channelForAdmin returns a channel the person administers, archived or not
// (server-behavior §C18).
func (o *Organization) channelForAdmin(u User, id int) (Channel, error) {
	ch, ok := o.Channels.Get(id)
	if !ok || !o.HasMetadataAccess(u, ch) {
		return Channel{}, errInvalidChannelID
	}
	if !o.Administers(u, ch) {
		return Channel{}, Refuse("You do not have permission to administer this channel.")
	}
	return ch, nil
}

// ChannelFilter says which channels GET /streams lists; the includes are
// alternatives (server-behavior §C3).
type ChannelFilter struct {
	Public, Subscribed, WebPublic, OwnerSubscribed, ContentAccess bool
	// All lists whatever the caller may know of, and overrules the others.
	All bool
	// Archived lists archived channels too.
	Archived bool
}

// ListChannels returns the channels a person may see that match, by name.
func (o *Organization) ListChannels(u User, f ChannelFilter) []Channel {
	list := []Channel{}
	for _, ch := range o.Channels.All() {
		if (f.Archived || !ch.Archived) && o.listed(u, ch, f) {
			list = append(list, ch)
		}
	}
	slices.SortFunc(list, func(a, b Channel) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (o *Organization) listed(u User, ch Channel, f ChannelFilter) bool {
	if f.All {
		return o.HasMetadataAccess(u, ch)
	}
	return f.ContentAccess && o.HasContentAccess(u, ch) ||
		f.Public && !u.IsGuest() && !ch.Private ||
		f.WebPublic && ch.WebPublic && !ch.Archived ||
		f.Subscribed && o.IsSubscribed(u.ID, ch.ID) ||
		f.OwnerSubscribed && u.IsBot && u.BotOwnerID != 0 && o.IsSubscribed(u.BotOwnerID, ch.ID)
}

// PostPolicy derives the legacy number 1 to 4 from who may post (server-behavior §C1).
func (o *Organization) PostPolicy(ch Channel) int {
	switch ch.Permissions["can_send_message_group"].Group {
	case o.SystemGroup(Administrators):
		return 2
	case o.SystemGroup(FullMembers):
		return 3
	case o.SystemGroup(Moderators):
		return 4
	default:
		return 1
	}
}

// checkChannelName refuses what cannot be a name. Positions count from 1.
func checkChannelName(name string) error {
	if strings.TrimSpace(name) == "" {
		return Refuse("Channel name can't be empty.")
	}
	if utf8.RuneCountInString(name) > maxChannelName {
		return Refuse("Channel name too long (limit: %d characters).", maxChannelName)
	}
	if at := unprintableAt(name); at > 0 {
		return Refuse("Invalid character in channel name, at position %d.", at)
	}
	return nil
}

// unprintableAt returns the position, from 1, of the first control character,
// surrogate or non-character; 0 if there is none.
func unprintableAt(s string) int {
	at := 0
	for _, r := range s {
		at++
		nonCharacter := r&0xFFFE == 0xFFFE || r >= 0xFDD0 && r <= 0xFDEF
		if unicode.Is(unicode.Cc, r) || nonCharacter {
			return at
		}
	}
	return 0
}

// retention reads message_retention_days as it is written: days, "unlimited"
// or "realm_default" (server-behavior §C4).
func retention(value any) (*int, error) {
	switch v := value.(type) {
	case string:
		if v == "unlimited" {
			days := unlimitedRetention
			return &days, nil
		}
		if v == "realm_default" {
			return nil, nil
		}
	case int:
		if v > 0 {
			return &v, nil
		}
	}
	return nil, BadValue("message_retention_days", value)
}

// unsupportedHistory is the refusal of any restriction on creating topics while
// the history is protected: who cannot see old topics would learn of them by
// being refused.
func unsupportedHistory() *Error {
	const names = "history_public_to_subscribers, can_create_topic_group"
	return &Error{Msg: "Unsupported parameter combination: " + names, Extra: map[string]any{"parameters": names}}
}
