package permission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Right is something that can be done in a channel. All but [CanRead] have the name of the
// channel's permission that grants them.
type Right string

// The rights in a channel.
const (
	// CanRead is to read new messages; there is no permission of that name.
	CanRead Right = "can_read"
	// CanReadHistory is to read messages from before one could read the channel; there is no permission of that name. It is
	// not among [Rights]: where the history is not protected, it goes with [CanRead].
	CanReadHistory               Right = "can_read_history"
	CanAddSubscribers            Right = "can_add_subscribers_group"
	CanAdministerChannel         Right = "can_administer_channel_group"
	CanCreateTopic               Right = "can_create_topic_group"
	CanDeleteAnyMessage          Right = "can_delete_any_message_group"
	CanDeleteOwnMessage          Right = "can_delete_own_message_group"
	CanMoveMessagesOutOfChannel  Right = "can_move_messages_out_of_channel_group"
	CanMoveMessagesWithinChannel Right = "can_move_messages_within_channel_group"
	CanRemoveSubscribers         Right = "can_remove_subscribers_group"
	CanSendMessage               Right = "can_send_message_group"
	// CanSubscribe is to subscribe to the channel without being added by somebody.
	CanSubscribe     Right = "can_subscribe_group"
	CanResolveTopics Right = "can_resolve_topics_group"
)

// Rights lists every right, the most powerful first.
var Rights = []Right{
	CanAdministerChannel, CanRead, CanAddSubscribers, CanSubscribe, CanSendMessage, CanCreateTopic,
	CanRemoveSubscribers, CanDeleteAnyMessage, CanMoveMessagesOutOfChannel, CanMoveMessagesWithinChannel,
	CanResolveTopics, CanDeleteOwnMessage,
}

// RightsAndHistory is [Rights] with [CanReadHistory] after [CanRead].
var RightsAndHistory = slices.Insert(slices.Clone(Rights), slices.Index(Rights, CanRead)+1, CanReadHistory)

// rightPhrases are the texts of [Right.InWords].
var rightPhrases = map[Right]string{
	CanRead: "read", CanReadHistory: "read older messages", CanAddSubscribers: "add subscribers", CanAdministerChannel: "administer the channel",
	CanCreateTopic: "start topics", CanDeleteAnyMessage: "delete anyone's messages",
	CanDeleteOwnMessage: "delete own messages", CanMoveMessagesOutOfChannel: "move messages to other channels",
	CanMoveMessagesWithinChannel: "move messages to other topics", CanRemoveSubscribers: "remove subscribers",
	CanSendMessage: "post", CanSubscribe: "join", CanResolveTopics: "resolve topics",
}

// InWords says what the right permits, to follow "can": "post", "start topics".
func (r Right) InWords() string { return rightPhrases[r] }

// IsOfMessages reports whether it is a right over messages, which nobody has in an archived channel.
func (r Right) IsOfMessages() bool {
	switch r {
	case CanSendMessage, CanCreateTopic, CanDeleteAnyMessage, CanDeleteOwnMessage, CanMoveMessagesOutOfChannel, CanMoveMessagesWithinChannel, CanResolveTopics:
		return true
	}
	return false
}

// combinedRights are pairs of rights that have one text if the same people have both.
var combinedRights = []struct{ one, other, both string }{
	{CanMoveMessagesOutOfChannel.InWords(), CanMoveMessagesWithinChannel.InWords(), "move messages"},
	{CanDeleteAnyMessage.InWords(), CanDeleteOwnMessage.InWords(), "delete messages"},
}

// JoinRights joins several rights, to follow "can": "post, start topics and move messages". It
// counts those beyond limit, if they are two or more.
func JoinRights(rights []string, limit int) string {
	rights = slices.Clone(rights)
	for _, pair := range combinedRights {
		if at := slices.Index(rights, pair.one); at >= 0 && slices.Contains(rights, pair.other) {
			rights[at] = pair.both
			rights = slices.DeleteFunc(rights, func(text string) bool { return text == pair.other })
		}
	}
	if len(rights) > limit+1 {
		return fmt.Sprintf("%s and %d more rights", strings.Join(rights[:limit], ", "), len(rights)-limit)
	}
	return joinAtMost(rights, limit+1)
}

// Channel is the part of a channel that decides who may do what in it.
type Channel struct {
	Privacy    zulip.Privacy
	IsArchived bool
	// Permissions are the channel's permissions by name. If one is absent the server does not
	// have it, and nothing is said about the right of that name.
	Permissions map[string]zulip.GroupSettingValue
	// Unknown are the permissions that are not known yet.
	Unknown map[string]bool
	// PrivacyUnknown says that the privacy is not known yet.
	PrivacyUnknown bool
	// TopicsPolicy is the API's `topics_policy`; "" counts as the organization's policy. TopicsPolicyUnknown says that it
	// is not known yet.
	TopicsPolicy        string
	TopicsPolicyUnknown bool
	// Subscribers are the IDs of the subscribers, if SubscribersKnown.
	Subscribers      []int64
	SubscribersKnown bool
}

// ChannelOf returns a channel without its subscribers, which the API returns separately.
func ChannelOf(channel *zulip.Channel) Channel {
	return Channel{Privacy: channel.Privacy(), IsArchived: channel.IsArchived, Permissions: channel.Permissions, TopicsPolicy: channel.TopicsPolicy}
}

// onlyEmptyTopic reports whether messages in the channel cannot have a topic.
func (c *Channel) onlyEmptyTopic() bool { return c.TopicsPolicy == "empty_topic_only" }

// has reports whether the server has the permission that grants the right.
func (c *Channel) has(right Right) bool {
	_, ok := c.Permissions[string(right)]
	return ok || c.Unknown[string(right)] || right == CanRead || right == CanReadHistory
}

// Can returns the people who have a right. certain is false if the server has no such
// permission, or if there may be more people because it depends on something unknown. Time
// limits, and permissions that only the server's shell grants, are not considered.
func (a *Access) Can(right Right, channel Channel) (who People, certain bool) {
	if !channel.has(right) {
		return People{roster: a.roster}, false
	}
	return a.held(right, a.outcomes(&channel)).Certain()
}

// organizationRights are the organization's permissions that grant a right in every channel, and
// whether they can grant it to guests. For the latter, what the server publishes takes
// precedence (server-behavior §P6).
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

// OrganizationPermission is the permission of the organization that grants a right in every channel to those who have access to it; ""
// if there is none.
func (r Right) OrganizationPermission() string { return organizationRights[r].setting }

// permittedByOrganization returns who has a right by a permission of the organization.
func (o *outcome) permittedByOrganization(right Right) bitset {
	by, ok := organizationRights[right]
	if !ok {
		return nil
	}
	set, allowEveryone := o.membersOf(o.access.organizationValue(by.setting)), by.allowEveryone
	if realm := o.access.facts.Realm; realm != nil {
		if said, ok := realm.SupportedPermissions["realm"][by.setting]; ok {
			allowEveryone = said.AllowEveryoneGroup
		}
	}
	if !allowEveryone {
		return o.withoutGuests(set)
	}
	return set
}
