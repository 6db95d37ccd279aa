package permission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Right is something that can be done in a channel. All but one have the name of the
// channel's permission that gives them.
type Right string

// The rights in a channel.
const (
	// CanRead is to read what is written from now on; no permission has its name.
	CanRead                      Right = "can_read"
	CanAddSubscribers            Right = "can_add_subscribers_group"
	CanAdministerChannel         Right = "can_administer_channel_group"
	CanCreateTopic               Right = "can_create_topic_group"
	CanDeleteAnyMessage          Right = "can_delete_any_message_group"
	CanDeleteOwnMessage          Right = "can_delete_own_message_group"
	CanMoveMessagesOutOfChannel  Right = "can_move_messages_out_of_channel_group"
	CanMoveMessagesWithinChannel Right = "can_move_messages_within_channel_group"
	CanRemoveSubscribers         Right = "can_remove_subscribers_group"
	CanSendMessage               Right = "can_send_message_group"
	// CanSubscribe is to come into the channel by oneself, for who is not in it.
	CanSubscribe     Right = "can_subscribe_group"
	CanResolveTopics Right = "can_resolve_topics_group"
)

// Rights lists every right, those first that give most.
var Rights = []Right{
	CanAdministerChannel, CanRead, CanAddSubscribers, CanSubscribe, CanSendMessage, CanCreateTopic,
	CanRemoveSubscribers, CanDeleteAnyMessage, CanMoveMessagesOutOfChannel, CanMoveMessagesWithinChannel,
	CanResolveTopics, CanDeleteOwnMessage,
}

// inWords says what a right permits, to follow "can".
var inWords = map[Right]string{
	CanRead: "read", CanAddSubscribers: "add subscribers", CanAdministerChannel: "administer the channel",
	CanCreateTopic: "start topics", CanDeleteAnyMessage: "delete anyone's messages",
	CanDeleteOwnMessage: "delete own messages", CanMoveMessagesOutOfChannel: "move messages to other channels",
	CanMoveMessagesWithinChannel: "move messages to other topics", CanRemoveSubscribers: "remove subscribers",
	CanSendMessage: "post", CanSubscribe: "join", CanResolveTopics: "resolve topics",
}

// InWords says what the right permits, to follow "can": "post", "start topics".
func (r Right) InWords() string { return inWords[r] }

// folded are pairs of rights that are one in words, where the same people have both.
var folded = []struct{ one, other, both string }{
	{CanMoveMessagesOutOfChannel.InWords(), CanMoveMessagesWithinChannel.InWords(), "move messages"},
	{CanDeleteAnyMessage.InWords(), CanDeleteOwnMessage.InWords(), "delete messages"},
}

// Together says several rights at once, to follow "can": "post, start topics and move
// messages". Those beyond a limit are counted, where they are two or more; the first are
// those that come first.
func Together(rights []string, limit int) string {
	rights = slices.Clone(rights)
	for _, pair := range folded {
		if at := slices.Index(rights, pair.one); at >= 0 && slices.Contains(rights, pair.other) {
			rights[at] = pair.both
			rights = slices.DeleteFunc(rights, func(text string) bool { return text == pair.other })
		}
	}
	if len(rights) > limit+1 {
		return fmt.Sprintf("%s and %d more rights", strings.Join(rights[:limit], ", "), len(rights)-limit)
	}
	return someOf(rights, limit+1)
}

// Channel is what decides, in a channel, who may do what.
type Channel struct {
	Privacy    zulip.Privacy
	IsArchived bool
	// Permissions are the channel's by name. One that is absent is one that the server
	// does not have, and then the right of that name is not told.
	Permissions map[string]zulip.GroupSettingValue
	// Unknown are the permissions that are not known yet.
	Unknown map[string]bool
	// PrivacyUnknown says that the privacy is not known yet.
	PrivacyUnknown bool
	// TopicsPolicy is what the channel says of topics, as the server has it; "" counts as the organization's policy.
	// TopicsPolicyUnknown says that it is not known yet.
	TopicsPolicy        string
	TopicsPolicyUnknown bool
	// Subscribers are the IDs of those in the channel, if SubscribersKnown.
	Subscribers      []int64
	SubscribersKnown bool
}

// ChannelOf returns what decides in a channel, without its subscribers, which are not
// part of it on the wire.
func ChannelOf(channel *zulip.Channel) Channel {
	return Channel{Privacy: channel.Privacy(), IsArchived: channel.IsArchived, Permissions: channel.Permissions, TopicsPolicy: channel.TopicsPolicy}
}

// onlyEmptyTopic reports whether all messages of the channel go without a topic.
func (c *Channel) onlyEmptyTopic() bool { return c.TopicsPolicy == "empty_topic_only" }

// has reports whether the server has what the right is decided by.
func (c *Channel) has(right Right) bool {
	_, ok := c.Permissions[string(right)]
	return ok || c.Unknown[string(right)] || right == CanRead
}

// Can returns the people who can exercise a right, and whether these are all: it is not
// certain where the server has no such permission, or where it depends on something that
// is not known; then they are those who can whatever that comes to. Time limits and what only the server's shell grants are
// left out.
func (a *Access) Can(right Right, channel Channel) (who People, certain bool) {
	if !channel.has(right) {
		return People{roster: a.roster}, false
	}
	all, certain := a.active, true
	for i, outcome := range a.outcomes(&channel) {
		set := outcome.can(right)
		certain = certain && (i == 0 || all.equal(set))
		all = all.and(set)
	}
	return People{a.roster, all}, certain
}

// organizationRights are the organization's permissions that give a right in every
// channel, and whether guests can have it by them; what the server says of that comes
// first (server-behavior §P6).
var organizationRights = map[Right]struct {
	setting       string
	allowEveryone bool
}{
	CanAddSubscribers:            {"can_add_subscribers_group", false},
	CanDeleteAnyMessage:          {"can_delete_any_message_group", false},
	CanDeleteOwnMessage:          {"can_delete_own_message_group", true},
	CanMoveMessagesOutOfChannel:  {"can_move_messages_between_channels_group", false},
	CanMoveMessagesWithinChannel: {"can_move_messages_between_topics_group", true},
	CanResolveTopics:             {"can_resolve_topics_group", true},
}

// inOrganization returns those who have a right by a permission of the organization.
func (o *outcome) inOrganization(right Right) bitset {
	by, ok := organizationRights[right]
	if !ok {
		return nil
	}
	set, allowEveryone := o.value(o.access.organizationValue(by.setting)), by.allowEveryone
	if realm := o.access.facts.Realm; realm != nil {
		if said, ok := realm.SupportedPermissions["realm"][by.setting]; ok {
			allowEveryone = said.AllowEveryoneGroup
		}
	}
	if !allowEveryone {
		return o.noGuests(set)
	}
	return set
}
