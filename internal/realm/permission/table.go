package permission

import (
	"cmp"
	"math"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Table lists the permissions of one kind of object. Code that compares, checks or shows permissions takes a table, so
// that every kind uses the same code.
type Table struct {
	// Key is the server's name of the kind in `server_supported_permission_settings`, where
	// it publishes the rules for each permission (server-behavior §P7).
	Key string
	// Noun is the name of the kind in messages: `channel`, `user group`, `organization`.
	Noun     string
	Settings []Spec
	// Shown are permissions that can only be read.
	Shown []Spec
}

// All lists the permissions of the table, those that can only be read last.
func (t Table) All() []Spec { return slices.Concat(t.Settings, t.Shown) }

// The kinds of object that have permissions.
var (
	Channels      = Table{"stream", "channel", ChannelSettings, nil}
	UserGroups    = Table{"group", "user group", UserGroupSettings, nil}
	Organizations = Table{"realm", "organization", RealmSettings, RealmShown}
)

// Setting returns the setting with a name, which the table must have.
func (t Table) Setting(name string) Spec {
	return t.Settings[slices.IndexFunc(t.Settings, func(one Spec) bool { return one.Name == name })]
}

// Supported returns the rules for a setting: those that the server publishes, or those of this table without them,
// because a newer server may have others. realm may be nil.
func (t Table) Supported(setting Spec, realm *zulip.Realm) zulip.SupportedPermission {
	if realm != nil {
		if said, ok := realm.SupportedPermissions[t.Key][setting.Name]; ok {
			return said
		}
	}
	return setting.SupportedBy()
}

// DefaultOf returns the initial principal of a setting: the one that the server publishes, or the one of this table
// without it. realm may be nil.
func (t Table) DefaultOf(setting Spec, realm *zulip.Realm) string {
	return cmp.Or(t.Supported(setting, realm).DefaultGroupName, setting.Default)
}

// ResetsOf returns the settings that destroying an organization with on_destroy = "reset" sends: the default of each
// managed permission that names a user group. Otherwise the group could not be deactivated (server-behavior §G9).
func ResetsOf(realm *zulip.Realm, managed []string, org Organization) map[string]Principal {
	resets := map[string]Principal{}
	for _, setting := range Organizations.Settings {
		value, exists := realm.Permissions[setting.Name]
		if !exists || !slices.Contains(managed, setting.Name) || !namesUserGroup(value, org) {
			continue
		}
		if principal, err := Parse(Organizations.DefaultOf(setting, realm)); err == nil {
			resets[setting.Name] = principal
		}
	}
	return resets
}

func namesUserGroup(value zulip.GroupSettingValue, org Organization) bool {
	groups := value.DirectSubgroups
	if value.IsNamed() {
		groups = []int64{value.Group}
	}
	return slices.ContainsFunc(groups, func(id int64) bool {
		group, ok := org.UserGroup(id)
		return ok && !group.IsSystemGroup
	})
}

// ChannelSettings are the permissions of a channel in the order in which the server
// applies them (server-behavior §P9, §C10).
var ChannelSettings = withLevels("zulip_channel", []Spec{
	{
		Name: "can_add_subscribers_group", NeedsContentAccess: true,
		Action:  "subscribe others to the channel",
		Default: "role:nobody",
	},
	{
		Name:    "can_administer_channel_group",
		Action:  "change the channel's settings and archive it",
		Default: "the channel's creator",
	},
	{
		Name: "can_create_topic_group", AllowEveryone: true,
		Action:  "start new topics",
		Default: "role:everyone",
	},
	{
		Name: "can_delete_any_message_group", AllowEveryone: true,
		Action:  "delete anyone's messages",
		Default: "role:nobody",
	},
	{
		Name: "can_delete_own_message_group", AllowEveryone: true,
		Action:  "delete their own messages",
		Default: "role:nobody",
	},
	{
		Name: "can_move_messages_out_of_channel_group", AllowEveryone: true,
		Action:  "move messages to another channel",
		Default: "role:nobody",
	},
	{
		Name: "can_move_messages_within_channel_group", AllowEveryone: true,
		Action:  "move messages to another topic",
		Default: "role:nobody",
	},
	{
		Name: "can_remove_subscribers_group", AllowEveryone: true, NotByGuests: true,
		Action:  "unsubscribe others from the channel",
		Default: "role:administrators",
	},
	{
		Name: "can_send_message_group", AllowEveryone: true,
		Action:  "post",
		Default: "role:everyone",
	},
	{
		Name: "can_subscribe_group", NeedsContentAccess: true,
		Action:  "subscribe to the channel",
		Default: "role:nobody",
	},
	{
		Name: "can_resolve_topics_group", AllowEveryone: true,
		Action:  "mark topics as resolved",
		Default: "role:nobody",
	},
})

// never is a feature level that no server reaches.
const never = math.MaxInt

// DroppedAtCreation are the settings that `POST /channels/create` accepts and ignores
// (server-behavior §C8).
var DroppedAtCreation = []string{
	"can_create_topic_group", "can_delete_any_message_group", "can_delete_own_message_group",
}

// UserGroupSettings are the permissions of a user group. The server executes all of a request or nothing, so their
// order has no meaning (server-behavior §P10, §G4).
var UserGroupSettings = withLevels("zulip_user_group", []Spec{
	{
		Name: "can_add_members_group", BotsSince: featurelevel.UserGroupsByBots,
		Action:  "add members and subgroups to the group",
		Default: "the group's creator",
	},
	{
		Name: "can_join_group", BotsSince: featurelevel.UserGroupsByBots,
		Action:  "join the group",
		Default: "role:nobody",
	},
	{
		Name: "can_leave_group", BotsSince: featurelevel.UserGroupsByBots, AllowEveryone: true, NotByGuests: true,
		Action:  "leave the group",
		Default: "role:everyone",
	},
	{
		Name: "can_manage_group", BotsSince: featurelevel.UserGroupsByBots,
		Action:  "change the group, its members and its permissions, and deactivate it",
		Default: "the group's creator",
	},
	{
		Name: "can_mention_group", AllowEveryone: true, BySending: true,
		Action:  "mention the group",
		Default: "role:everyone",
	},
	{
		Name: "can_remove_members_group", BotsSince: featurelevel.UserGroupsByBots,
		Action:  "remove members from the group",
		Default: "role:nobody",
	},
})

// RealmSettings are the permissions of an organization, by name as `PATCH /realm` has
// them (server-behavior §P11). Their defaults are those of an organization that is not for
// education.
var RealmSettings = withLevels("zulip_organization", []Spec{
	{
		Name: "can_access_all_users_group", AllowEveryone: true, RefuseNobody: true, Roles: []string{"role:everyone", "role:members"},
		Action:  "see everyone in the organization; other guests see only people they share a channel or a conversation with",
		Default: "role:everyone",
	},
	{
		Name: "can_add_custom_emoji_group", BotsSince: never,
		Action:  "add custom emoji",
		Default: "role:members",
	},
	{
		Name:    "can_add_subscribers_group",
		Action:  "subscribe others to any channel that they have access to",
		Default: "role:members",
	},
	{
		Name: "can_create_bots_group", BotsSince: never,
		Action:  "create bots of any kind",
		Default: "role:members",
	},
	{
		Name: "can_create_groups", BotsSince: featurelevel.UserGroupsByBots, OwnersOnly: true,
		Action:  "create user groups",
		Default: "role:members",
	},
	{
		Name:    "can_create_private_channel_group",
		Action:  "create private channels",
		Default: "role:members",
	},
	{
		Name:    "can_create_public_channel_group",
		Action:  "create public channels",
		Default: "role:members",
	},
	{
		Name: "can_create_web_public_channel_group", Roles: []string{"role:moderators", "role:administrators", "role:owners", "role:nobody"},
		Action:  "create channels that anyone on the internet can read",
		Default: "role:owners",
	},
	{
		Name: "can_create_write_only_bots_group", BotsSince: never,
		Action:  "create bots that only send messages",
		Default: "role:members",
	},
	{
		Name:    "can_delete_any_message_group",
		Action:  "delete anyone's messages",
		Default: "role:administrators",
	},
	{
		Name: "can_delete_own_message_group", AllowEveryone: true,
		Action:  "delete their own messages",
		Default: "role:everyone",
	},
	{
		Name: "can_invite_users_group", BotsSince: never, OwnersOnly: true,
		Action:  "invite people by email",
		Default: "role:members",
	},
	{
		Name: "can_manage_all_groups", BotsSince: featurelevel.UserGroupsByBots, RefuseNobody: true, OwnersOnly: true,
		Action:  "manage every user group",
		Default: "role:owners",
	},
	{
		Name: "can_manage_billing_group", RefuseNobody: true, OwnersOnly: true,
		Action:  "manage plans and billing",
		Default: "role:administrators",
	},
	{
		Name: "can_mention_many_users_group", AllowEveryone: true, BySending: true,
		Action:  "mention everyone in a large channel",
		Default: "role:administrators",
	},
	{
		Name:    "can_move_messages_between_channels_group",
		Action:  "move messages to another channel",
		Default: "role:members",
	},
	{
		Name: "can_move_messages_between_topics_group", AllowEveryone: true,
		Action:  "move messages to another topic",
		Default: "role:everyone",
	},
	{
		Name: "can_resolve_topics_group", AllowEveryone: true,
		Action:  "mark topics as resolved",
		Default: "role:everyone",
	},
	{
		Name:    "can_set_delete_message_policy_group",
		Action:  "choose who can delete messages in a channel",
		Default: "role:moderators",
	},
	{
		Name: "can_set_topics_policy_group", AllowEveryone: true,
		Action:  "choose whether messages in a channel need a topic",
		Default: "role:members",
	},
	{
		Name: "can_summarize_topics_group", AllowEveryone: true,
		Action:  "have topics summarized",
		Default: "role:everyone",
	},
	{
		Name: "create_multiuse_invite_group", BotsSince: never, OwnersOnly: true,
		Action:  "create reusable invitation links",
		Default: "role:administrators",
	},
	{
		Name: "direct_message_initiator_group", AllowEveryone: true, BySending: true,
		Action:  "start a conversation by direct message",
		Default: "role:everyone",
	},
	{
		Name: "direct_message_permission_group", AllowEveryone: true, BySending: true,
		Action:  "authorize a direct message by taking part in it",
		Default: "role:everyone",
	},
})

// RealmShown are the permissions of an organization that can only be read: a production server fails on a request that
// contains them. Their Action completes the phrase "those who …".
var RealmShown = withLevels("zulip_organization", []Spec{
	{
		Name: "workplace_users_group", AllowEveryone: true,
		Action:  "count as workplace users if the organization's plan has discounts for others",
		Default: "role:everyone",
	},
})

// withLevels takes the levels of the settings from the table of feature levels.
func withLevels(resource string, settings []Spec) []Spec {
	for i := range settings {
		settings[i].FeatureLevel = featurelevel.Lookup(resource, settings[i].Name)
	}
	return settings
}
