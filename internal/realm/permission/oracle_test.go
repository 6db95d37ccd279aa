package permission_test

import (
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// oracle decides for one person at a time, in the order in which the server asks, and looks through everything from end
// to end. It is what effective access is held against.
type oracle struct{ facts permission.AccessInput }

func (o oracle) can(right permission.Right, channel *permission.Channel) (ids []int64) {
	for _, user := range o.facts.Users {
		if user.IsActive && !user.IsSystemBot && o.mayDo(user, right, channel) {
			ids = append(ids, user.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func (o oracle) mayDo(user *zulip.User, right permission.Right, channel *permission.Channel) bool {
	named := o.holds(channel.Permissions[string(right)], user)
	if isWebhook(user) && right != permission.CanSendMessage && right != permission.CanCreateTopic {
		return false
	}
	if onlyEmpty := channel.TopicsPolicy == "empty_topic_only"; onlyEmpty && slices.Contains(aboutTopics, right) {
		return false
	}
	switch right {
	case permission.CanRead:
		return o.sees(user, channel) && (channel.Privacy != zulip.PrivacyPrivateProtectedHistory || isIn(user, channel))
	case permission.CanAdministerChannel:
		return o.administers(user, channel)
	case permission.CanSubscribe:
		return !isGuest(user) && o.sees(user, without(channel, user))
	case permission.CanAddSubscribers:
		if isGuest(user) || !o.sees(user, channel) {
			return false
		}
		return o.hasInOrganization(user, "can_add_subscribers_group") || o.administers(user, channel) || named
	case permission.CanRemoveSubscribers:
		if o.administers(user, channel) {
			return true
		}
		return !isGuest(user) && o.knows(user, channel) && named
	case permission.CanSendMessage:
		return o.sends(user, channel)
	case permission.CanCreateTopic:
		return o.sends(user, channel) && (named || o.ownerHolds(user, channel.Permissions[string(right)]))
	}
	if channel.IsArchived || !o.sees(user, channel) || isGuest(user) && !isIn(user, channel) {
		return false
	}
	isOwn := right == permission.CanDeleteOwnMessage
	if !isOwn && channel.Privacy == zulip.PrivacyPrivateProtectedHistory && !isIn(user, channel) {
		return false
	}
	switch right {
	case permission.CanDeleteAnyMessage:
		return o.hasInOrganization(user, "can_delete_any_message_group") || named
	case permission.CanDeleteOwnMessage:
		return o.hasInOrganization(user, "can_delete_any_message_group") || o.holds(channel.Permissions["can_delete_any_message_group"], user) ||
			o.hasInOrganization(user, "can_delete_own_message_group") || named
	case permission.CanMoveMessagesOutOfChannel:
		return o.hasInOrganization(user, "can_move_messages_between_channels_group") || o.administers(user, channel) || named
	case permission.CanMoveMessagesWithinChannel:
		return o.hasInOrganization(user, "can_move_messages_between_topics_group") || o.administers(user, channel) || named
	case permission.CanResolveTopics:
		return o.hasInOrganization(user, "can_resolve_topics_group") || named
	}
	panic(right)
}

func (o oracle) sends(user *zulip.User, channel *permission.Channel) bool {
	value := channel.Permissions["can_send_message_group"]
	if !o.holds(value, user) && !o.ownerHolds(user, value) || channel.IsArchived {
		return false
	}
	switch {
	case channel.Privacy == zulip.PrivacyWebPublic:
		return true
	case !channel.Privacy.IsPrivate() && !isGuest(user):
		return true
	case isIn(user, channel):
		return true
	}
	if owner := o.ownerOf(user); owner != nil && isIn(owner, channel) {
		return true
	}
	if channel.Privacy == zulip.PrivacyPrivateSharedHistory {
		return o.isOpenedTo(user, channel)
	}
	return false
}

func (o oracle) administers(user *zulip.User, channel *permission.Channel) bool {
	if user.Role == zulip.RoleOwner || user.Role == zulip.RoleAdministrator {
		return true
	}
	return !isGuest(user) && o.holds(channel.Permissions["can_administer_channel_group"], user)
}

// sees reports whether the server lets somebody see what a channel is about.
func (o oracle) sees(user *zulip.User, channel *permission.Channel) bool {
	switch {
	case channel.Privacy == zulip.PrivacyWebPublic, isIn(user, channel):
		return true
	case isGuest(user):
		return false
	}
	return channel.Privacy == zulip.PrivacyPublic || o.isOpenedTo(user, channel)
}

func (o oracle) knows(user *zulip.User, channel *permission.Channel) bool {
	return o.sees(user, channel) || o.administers(user, channel)
}

func (o oracle) isOpenedTo(user *zulip.User, channel *permission.Channel) bool {
	return !isGuest(user) &&
		(o.holds(channel.Permissions["can_subscribe_group"], user) || o.holds(channel.Permissions["can_add_subscribers_group"], user))
}

func (o oracle) hasInOrganization(user *zulip.User, setting string) bool {
	guestsToo := slices.Contains([]string{"can_delete_own_message_group", "can_move_messages_between_topics_group", "can_resolve_topics_group"}, setting)
	return (guestsToo || !isGuest(user)) && o.holds(o.facts.Realm.Permissions[setting], user)
}

func (o oracle) holds(value zulip.GroupSettingValue, user *zulip.User) bool {
	if !user.IsActive {
		return false
	}
	if slices.Contains(value.DirectMembers, user.ID) {
		return true
	}
	return slices.ContainsFunc(append(slices.Clone(value.DirectSubgroups), value.Group), func(id int64) bool {
		return slices.ContainsFunc(o.facts.Groups, func(group *zulip.UserGroup) bool {
			return group.ID == id && o.holds(zulip.GroupSettingValue{DirectMembers: group.Members, DirectSubgroups: group.DirectSubgroupIDs}, user)
		})
	})
}

func (o oracle) ownerHolds(user *zulip.User, value zulip.GroupSettingValue) bool {
	owner := o.ownerOf(user)
	return owner != nil && o.holds(value, owner)
}

func (o oracle) ownerOf(user *zulip.User) *zulip.User {
	if !user.IsBot || user.BotOwnerID == nil {
		return nil
	}
	owner, _ := first(o.facts.Users, func(u *zulip.User) bool { return u.ID == *user.BotOwnerID && u.IsActive })
	return owner
}

// aboutTopics are what takes a topic that has a name.
var aboutTopics = []permission.Right{permission.CanCreateTopic, permission.CanMoveMessagesWithinChannel, permission.CanResolveTopics}

func isWebhook(user *zulip.User) bool { return user.IsBot && user.BotType != nil && *user.BotType == 2 }

func isGuest(user *zulip.User) bool { return user.Role == zulip.RoleGuest }

func isIn(user *zulip.User, channel *permission.Channel) bool {
	return user.IsActive && slices.Contains(channel.Subscribers, user.ID)
}

// without is the channel after somebody has left it.
func without(channel *permission.Channel, user *zulip.User) *permission.Channel {
	left := *channel
	left.Subscribers = slices.DeleteFunc(slices.Clone(channel.Subscribers), func(id int64) bool { return id == user.ID })
	return &left
}
