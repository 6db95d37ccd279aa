package permission

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// ChannelPermission is an ability in a channel. All but the first three have the name of the channel's permission that
// grants them.
type ChannelPermission string

// The permissions of a channel.
const (
	// CanRead is to read new messages; no permission has this name.
	CanRead ChannelPermission = "can_read"
	// CanReadHistory is to read messages from before the user could read the channel; no permission has this name. It
	// is not in [ChannelPermissions], because it equals [CanRead] if the history is not protected.
	CanReadHistory ChannelPermission = "can_read_history"
	// CanUse is to have access to the content, as the server requires for most that names a channel: people in the channel
	// have it, and people who can join it. No permission has this name, and it is not in [ChannelPermissions].
	CanUse                       ChannelPermission = "can_use"
	CanAddSubscribers            ChannelPermission = "can_add_subscribers_group"
	CanAdministerChannel         ChannelPermission = "can_administer_channel_group"
	CanCreateTopic               ChannelPermission = "can_create_topic_group"
	CanDeleteAnyMessage          ChannelPermission = "can_delete_any_message_group"
	CanDeleteOwnMessage          ChannelPermission = "can_delete_own_message_group"
	CanMoveMessagesOutOfChannel  ChannelPermission = "can_move_messages_out_of_channel_group"
	CanMoveMessagesWithinChannel ChannelPermission = "can_move_messages_within_channel_group"
	CanRemoveSubscribers         ChannelPermission = "can_remove_subscribers_group"
	CanSendMessage               ChannelPermission = "can_send_message_group"
	// CanSubscribe is the permission to subscribe to the channel without being added.
	CanSubscribe     ChannelPermission = "can_subscribe_group"
	CanResolveTopics ChannelPermission = "can_resolve_topics_group"
)

// ChannelPermissions lists every permission of a channel except [CanReadHistory], the most powerful first.
var ChannelPermissions = []ChannelPermission{
	CanAdministerChannel, CanRead, CanAddSubscribers, CanSubscribe, CanSendMessage, CanCreateTopic,
	CanRemoveSubscribers, CanDeleteAnyMessage, CanMoveMessagesOutOfChannel, CanMoveMessagesWithinChannel,
	CanResolveTopics, CanDeleteOwnMessage,
}

// ChannelPermissionsAndHistory is [ChannelPermissions] with [CanReadHistory] after [CanRead].
var ChannelPermissionsAndHistory = slices.Insert(slices.Clone(ChannelPermissions), slices.Index(ChannelPermissions, CanRead)+1, CanReadHistory)

// actionTexts are the results of [ChannelPermission.InWords].
var actionTexts = map[ChannelPermission]string{
	CanRead: "read", CanReadHistory: "read older messages", CanAddSubscribers: "add subscribers", CanAdministerChannel: "administer the channel",
	CanCreateTopic: "start topics", CanDeleteAnyMessage: "delete anyone's messages",
	CanDeleteOwnMessage: "delete own messages", CanMoveMessagesOutOfChannel: "move messages to other channels",
	CanMoveMessagesWithinChannel: "move messages to other topics", CanRemoveSubscribers: "remove subscribers",
	CanSendMessage: "post", CanSubscribe: "join", CanResolveTopics: "resolve topics",
}

// InWords returns the phrase that completes "can …", such as "post" or "start topics".
func (r ChannelPermission) InWords() string { return actionTexts[r] }

// IsOfMessages reports whether the permission is about messages. In an archived channel, no one can use such a permission.
func (r ChannelPermission) IsOfMessages() bool {
	switch r {
	case CanSendMessage, CanCreateTopic, CanDeleteAnyMessage, CanDeleteOwnMessage, CanMoveMessagesOutOfChannel, CanMoveMessagesWithinChannel, CanResolveTopics:
		return true
	}
	return false
}

// combinedActions are pairs of actions with one text for both.
var combinedActions = []struct{ one, other, both string }{
	{CanMoveMessagesOutOfChannel.InWords(), CanMoveMessagesWithinChannel.InWords(), "move messages"},
	{CanDeleteAnyMessage.InWords(), CanDeleteOwnMessage.InWords(), "delete messages"},
}

// JoinActions joins several actions, to follow "can": "post, start topics and move messages". It
// counts those beyond limit, if they are two or more.
func JoinActions(actions []string, limit int) string {
	actions = slices.Clone(actions)
	for _, pair := range combinedActions {
		if at := slices.Index(actions, pair.one); at >= 0 && slices.Contains(actions, pair.other) {
			actions[at] = pair.both
			actions = slices.DeleteFunc(actions, func(text string) bool { return text == pair.other })
		}
	}
	if len(actions) > limit+1 {
		return fmt.Sprintf("%s and %d more permissions", strings.Join(actions[:limit], ", "), len(actions)-limit)
	}
	return joinAtMost(actions, limit+1)
}

// joinAtMost joins texts as in a sentence ("a, b and c"), and counts those beyond a limit.
func joinAtMost(texts []string, limit int) string {
	switch n := len(texts); {
	case n == 1:
		return texts[0]
	case n > limit:
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:limit], ", "), n-limit)
	default:
		return strings.Join(texts[:n-1], ", ") + " and " + texts[n-1]
	}
}

// Channel is the part of a channel that decides who can do what in it.
type Channel struct {
	Privacy    zulip.Privacy
	IsArchived bool
	// Permissions are the channel's permissions by name. If one is absent, the server does not have it, and the permission
	// of that name is not computed.
	Permissions map[string]zulip.GroupSettingValue
	// Unknown are the permissions that are not known yet.
	Unknown map[string]bool
	// PrivacyUnknown is true if the privacy is not known yet.
	PrivacyUnknown bool
	// TopicsPolicy is the API's `topics_policy`; "" counts as the organization's policy. TopicsPolicyUnknown is true if
	// it is not known yet.
	TopicsPolicy        string
	TopicsPolicyUnknown bool
	// Subscribers are the IDs of the certain subscribers. Without SubscribersKnown, anyone may be another one, and with it
	// those of MaySubscribe.
	Subscribers      []int64
	SubscribersKnown bool
	MaySubscribe     []int64
}

// ChannelOf returns a channel without its subscribers, which the API returns separately.
func ChannelOf(channel *zulip.Channel) Channel {
	return Channel{Privacy: channel.Privacy(), IsArchived: channel.IsArchived, Permissions: channel.Permissions, TopicsPolicy: channel.TopicsPolicy}
}

// isUncertain reports whether the subscribers are not completely known.
func (c *Channel) isUncertain() bool { return !c.SubscribersKnown || len(c.MaySubscribe) > 0 }

// onlyEmptyTopic reports whether messages in the channel cannot have a topic.
func (c *Channel) onlyEmptyTopic() bool { return c.TopicsPolicy == "empty_topic_only" }

// has reports whether the server has the permission.
func (c *Channel) has(permission ChannelPermission) bool {
	_, ok := c.Permissions[string(permission)]
	return ok || c.Unknown[string(permission)] || permission == CanRead || permission == CanReadHistory || permission == CanUse
}

// Can returns the people who have a permission. certain is false if the server has no such permission, or if more people may
// have the permission because of unknown facts. Time limits, and permissions that only the server's shell grants, are not
// considered.
func (a *Access) Can(permission ChannelPermission, channel Channel) (who People, certain bool) {
	if !channel.has(permission) {
		return People{roster: a.roster}, false
	}
	return a.held(permission, a.outcomes(&channel)).Certain()
}

// May reports whether a user has a permission, or may have it because of unknown facts. A server without the permission has no
// such limit.
func (a *Access) May(user int64, permission ChannelPermission, channel Channel) bool {
	who, isAll := a.held(permission, a.outcomes(&channel)).Possible()
	return !channel.has(permission) || !isAll || who.Has(user)
}

// organizationPermissions are the permissions of the organization that permit in every channel what one of a channel permits in it.
var organizationPermissions = map[ChannelPermission]string{
	CanAddSubscribers:            "can_add_subscribers_group",
	CanDeleteAnyMessage:          "can_delete_any_message_group",
	CanDeleteOwnMessage:          "can_delete_own_message_group",
	CanMoveMessagesOutOfChannel:  "can_move_messages_between_channels_group",
	CanMoveMessagesWithinChannel: "can_move_messages_between_topics_group",
	CanResolveTopics:             "can_resolve_topics_group",
}

// permittedByOrganization returns the people who have a permission because of a permission of the organization.
func (o *outcome) permittedByOrganization(permission ChannelPermission) sets.Bits {
	by, ok := organizationPermissions[permission]
	if !ok {
		return nil
	}
	set, setting := o.membersOf(o.access.organizationValue(by)), Organizations.Setting(by)
	if setting.NeverGuests(Organizations.Supported(setting, o.access.facts.Realm)) {
		return o.withoutGuests(set)
	}
	return set
}

// Change is a planned change of the people, the groups and the permissions of an organization.
type Change struct {
	// Groups are the changed user groups by ID.
	Groups map[int64]Membership
	// Roles are people and bots by ID, with the role they will have.
	Roles map[int64]zulip.Role
	// Deactivated are the IDs of users who will be deactivated; the bots they own will be too (server-behavior §U9).
	Deactivated []int64
	// Reactivated are the IDs of users who will be reactivated. Roles has the role of each, too.
	Reactivated []int64
	// Owners are bots by ID, with the ID of their new owner, or [UnknownOwner]. A bot can post where its owner can.
	Owners map[int64]int64
	// Organization are the changed permissions of the organization by name.
	Organization map[string]zulip.GroupSettingValue
	// WaitingPeriod is the number of days until a member becomes a full member; nil if it does not change.
	// WaitingPeriodUnknown is true if it changes to a value that is not known yet.
	WaitingPeriod        *int
	WaitingPeriodUnknown bool
	// Spectators is whether people without an account will be able to read web-public channels; nil if that does not
	// change. SpectatorsUnknown is true if the new value is not known yet.
	Spectators        *bool
	SpectatorsUnknown bool
	// Now is the time at which the waiting periods of new members are evaluated.
	Now time.Time
}

// UnknownOwner stands for the ID of a bot's owner who may be anyone.
const UnknownOwner = math.MinInt64

// Membership is the planned direct membership of a user group.
type Membership struct {
	Members   []int64
	Subgroups []int64
	// Unknown is true if the group will have further members who are not known yet. Among are the IDs of the possible
	// ones; nil if anyone may be one.
	Unknown bool
	Among   []int64
}

// With returns the organization after a change. Groups and people that the organization does
// not have are ignored.
func (a *Access) With(change Change) *Access {
	facts := a.facts
	deactivated := a.deactivatedBy(change)
	facts.Users = make([]*zulip.User, len(a.facts.Users))
	for i, user := range a.facts.Users {
		facts.Users[i] = user
		role, changes := change.Roles[user.ID]
		owner, moves := change.Owners[user.ID]
		if changes || moves || deactivated[user.ID] {
			changed := *user
			if moves {
				changed.BotOwnerID = &owner
			}
			if changes {
				changed.Role = role
			}
			changed.IsActive = user.IsActive && !deactivated[user.ID] || slices.Contains(change.Reactivated, user.ID)
			facts.Users[i] = &changed
		}
	}
	unknown := map[int64]unknownMembers{}
	maps.Copy(unknown, a.unknownMembers)
	facts.Groups = make([]*zulip.UserGroup, len(a.facts.Groups))
	for i, group := range a.facts.Groups {
		changed := *group
		if membership, ok := change.Groups[group.ID]; ok && !group.IsSystemGroup {
			changed.Members, changed.DirectSubgroupIDs = membership.Members, membership.Subgroups
			if delete(unknown, group.ID); membership.Unknown {
				unknown[group.ID] = unknownMembers{membership.Among}
			}
		}
		isFullMembers := group.IsSystemGroup && group.Name == fullMembers
		switch {
		case isFullMembers && change.WaitingPeriodUnknown:
			changed.Members = nil
			unknown[group.ID] = unknownMembers{append([]int64{}, a.roleMembers(change)...)}
		case isFullMembers && change.WaitingPeriod != nil:
			changed.Members = a.fullMembers(change)
			delete(unknown, group.ID)
		case group.IsSystemGroup && len(change.Roles) > 0:
			changed.Members = a.inRole(group, change)
		}
		facts.Groups[i] = &changed
	}
	facts.Realm = change.realm(a.facts.Realm)
	after := newAccess(facts, a.roster, unknown)
	after.spectatorsUnknown = change.SpectatorsUnknown || a.spectatorsUnknown && change.Spectators == nil
	return after
}

// realm returns the organization's permissions and settings after the change.
func (c Change) realm(realm *zulip.Realm) *zulip.Realm {
	if realm == nil || len(c.Organization) == 0 && c.WaitingPeriod == nil && c.Spectators == nil {
		return realm
	}
	changed := *realm
	changed.Permissions = maps.Clone(realm.Permissions)
	maps.Copy(changed.Permissions, c.Organization)
	if c.WaitingPeriod != nil {
		changed.WaitingPeriodThreshold = *c.WaitingPeriod
	}
	if c.Spectators != nil {
		changed.Settings = maps.Clone(realm.Settings)
		if changed.Settings == nil {
			changed.Settings = map[string]json.RawMessage{}
		}
		changed.Settings[spectatorAccess] = json.RawMessage(strconv.FormatBool(*c.Spectators))
	}
	return &changed
}

// deactivatedBy returns the users that a change deactivates. A bot that gets another owner in the same change stays
// active.
func (a *Access) deactivatedBy(change Change) map[int64]bool {
	all := make(map[int64]bool, len(change.Deactivated))
	var planned effects.Log
	for _, id := range change.Deactivated {
		all[id] = true
		planned.Add(effects.Write{Kind: effects.Deactivated, ID: id})
	}
	for _, owned := range a.ownedBots {
		bot, owner := a.roster.users[owned.bot].ID, a.roster.users[owned.owner].ID
		if later, moves := change.Owners[bot]; moves {
			owner = later
		}
		if planned.Ends(owner) {
			all[bot] = true
		}
	}
	return all
}

// inRole returns the direct members of a role's group after a change of roles: everyone is in the group of their role,
// and members past the waiting period also in role:fullmembers (server-behavior §P8).
func (a *Access) inRole(group *zulip.UserGroup, change Change) []int64 {
	var members []int64
	for _, id := range group.Members {
		if _, changes := change.Roles[id]; !changes {
			members = append(members, id)
		}
	}
	for _, user := range a.facts.Users {
		role, changes := change.Roles[user.ID]
		if !changes {
			continue
		}
		full := group.Name == fullMembers && role == zulip.RoleMember && isPastWaitingPeriod(user, a.waitingPeriod(change), change.Now)
		if full || group.Name == roleGroups[role] {
			members = append(members, user.ID)
		}
	}
	return members
}

// fullMembers is the group of the members whose waiting period is over.
const fullMembers = "role:fullmembers"

// fullMembers returns who will be a full member after a change of the waiting period: the server re-evaluates all members
// (https://zulip.com/api/roles-and-permissions).
func (a *Access) fullMembers(change Change) (members []int64) {
	days := a.waitingPeriod(change)
	return slices.DeleteFunc(a.roleMembers(change), func(id int64) bool {
		return !isPastWaitingPeriod(a.roster.users[a.roster.places[id]], days, change.Now)
	})
}

// roleMembers returns the users who will have the role of a member.
func (a *Access) roleMembers(change Change) (members []int64) {
	for _, user := range a.facts.Users {
		role, changes := change.Roles[user.ID]
		if !changes {
			role = user.Role
		}
		if role == zulip.RoleMember && !user.IsSystemBot {
			members = append(members, user.ID)
		}
	}
	return members
}

// waitingPeriod returns the waiting period after a change, in days.
func (a *Access) waitingPeriod(change Change) int {
	switch {
	case change.WaitingPeriod != nil:
		return *change.WaitingPeriod
	case a.facts.Realm != nil:
		return a.facts.Realm.WaitingPeriodThreshold
	}
	return 0
}

// roleGroups are the groups that directly contain everyone of a role (server-behavior §P8).
var roleGroups = map[zulip.Role]string{
	zulip.RoleOwner: "role:owners", zulip.RoleAdministrator: "role:administrators", zulip.RoleModerator: "role:moderators",
	zulip.RoleMember: "role:members", zulip.RoleGuest: "role:everyone",
}

// RoleGroup returns the name of the group that directly contains everyone of a role.
func RoleGroup(role zulip.Role) string { return roleGroups[role] }

// isPastWaitingPeriod reports whether a member is a full member. If their time of joining is unreadable, it is true.
func isPastWaitingPeriod(user *zulip.User, days int, now time.Time) bool {
	if days == 0 {
		return true
	}
	joined, _ := user.Joined()
	return now.Sub(joined) >= time.Duration(days)*24*time.Hour
}
