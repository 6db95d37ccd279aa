package rules

import "github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"

// Permission describes one permission setting: its possible groups, and its default (server-behavior §P7).
type Permission struct {
	Name string
	// Since is the feature level that added it.
	Since int

	AllowInternet bool
	AllowNobody   bool
	// AllowEveryone is false if guests can never have the permission, even if a value names them.
	AllowEveryone bool
	RequireSystem bool
	// OwnerOnly is true if only owners can change an organization-wide permission.
	OwnerOnly bool
	// Unwritable is true if production servers fail on every change of an organization-wide permission.
	Unwritable bool
	// AllowedSystem are the accepted system groups; empty: any.
	AllowedSystem []string

	// Default is a system group, or Creator.
	Default string
}

// Creator as a default means the user who creates the channel or group.
const Creator = "creator"

// FindPermission returns the permission with the name.
func FindPermission(all []Permission, name string) (Permission, bool) {
	for _, p := range all {
		if p.Name == name {
			return p, true
		}
	}
	return Permission{}, false
}

// ChannelPermissions lists the settings of a channel in the order in which one
// request applies them (server-behavior §P9, §C10).
var ChannelPermissions = withLevels("zulip_channel", []Permission{
	{Name: "can_add_subscribers_group", AllowNobody: true, Default: Nobody},
	{Name: "can_administer_channel_group", AllowNobody: true, Default: Creator},
	{Name: "can_create_topic_group", AllowNobody: true, AllowEveryone: true, Default: Everyone},
	{Name: "can_delete_any_message_group", AllowNobody: true, AllowEveryone: true, Default: Nobody},
	{Name: "can_delete_own_message_group", AllowNobody: true, AllowEveryone: true, Default: Nobody},
	{Name: "can_move_messages_out_of_channel_group", AllowNobody: true, AllowEveryone: true, Default: Nobody},
	{Name: "can_move_messages_within_channel_group", AllowNobody: true, AllowEveryone: true, Default: Nobody},
	{Name: "can_remove_subscribers_group", AllowNobody: true, AllowEveryone: true, Default: Administrators},
	{Name: "can_send_message_group", AllowNobody: true, AllowEveryone: true, Default: Everyone},
	{Name: "can_subscribe_group", AllowNobody: true, Default: Nobody},
	{Name: "can_resolve_topics_group", AllowNobody: true, AllowEveryone: true, Default: Nobody},
})

// GroupPermissions lists the settings of a user group (server-behavior §P10).
var GroupPermissions = withLevels("zulip_user_group", []Permission{
	{Name: "can_add_members_group", AllowNobody: true, Default: Creator},
	{Name: "can_join_group", AllowNobody: true, Default: Nobody},
	{Name: "can_leave_group", AllowNobody: true, AllowEveryone: true, Default: Everyone},
	{Name: "can_manage_group", AllowNobody: true, Default: Creator},
	{Name: "can_mention_group", AllowNobody: true, AllowEveryone: true, Default: Everyone},
	{Name: "can_remove_members_group", AllowNobody: true, Default: Nobody},
})

// RealmPermissions lists the organization-wide permissions (server-behavior §P11).
var RealmPermissions = withLevels("zulip_organization", []Permission{
	{Name: "create_multiuse_invite_group", OwnerOnly: true, AllowNobody: true, Default: Administrators},
	{Name: "can_access_all_users_group", AllowEveryone: true, RequireSystem: true, AllowedSystem: []string{Everyone, Members}, Default: Everyone},
	{Name: "can_add_subscribers_group", AllowNobody: true, Default: Members},
	{Name: "can_add_custom_emoji_group", AllowNobody: true, Default: Members},
	{Name: "can_create_bots_group", AllowNobody: true, Default: Members},
	{Name: "can_create_groups", OwnerOnly: true, AllowNobody: true, Default: Members},
	{Name: "can_create_public_channel_group", AllowNobody: true, Default: Members},
	{Name: "can_create_private_channel_group", AllowNobody: true, Default: Members},
	{Name: "can_create_web_public_channel_group", AllowNobody: true, RequireSystem: true, AllowedSystem: []string{Moderators, Administrators, Owners, Nobody}, Default: Owners},
	{Name: "can_create_write_only_bots_group", AllowNobody: true, Default: Members},
	{Name: "can_delete_any_message_group", AllowNobody: true, Default: Administrators},
	{Name: "can_delete_own_message_group", AllowNobody: true, AllowEveryone: true, Default: Everyone},
	{Name: "can_invite_users_group", OwnerOnly: true, AllowNobody: true, Default: Members},
	{Name: "can_manage_all_groups", OwnerOnly: true, Default: Owners},
	{Name: "can_manage_billing_group", OwnerOnly: true, Default: Administrators},
	{Name: "can_mention_many_users_group", AllowNobody: true, AllowEveryone: true, Default: Administrators},
	{Name: "can_move_messages_between_channels_group", AllowNobody: true, Default: Members},
	{Name: "can_move_messages_between_topics_group", AllowNobody: true, AllowEveryone: true, Default: Everyone},
	{Name: "can_resolve_topics_group", AllowNobody: true, AllowEveryone: true, Default: Everyone},
	{Name: "can_set_delete_message_policy_group", AllowNobody: true, Default: Moderators},
	{Name: "can_set_topics_policy_group", AllowNobody: true, AllowEveryone: true, Default: Members},
	{Name: "can_summarize_topics_group", AllowNobody: true, AllowEveryone: true, Default: Everyone},
	{Name: "direct_message_initiator_group", AllowNobody: true, AllowEveryone: true, Default: Everyone},
	{Name: "direct_message_permission_group", AllowNobody: true, AllowEveryone: true, Default: Everyone},
	{Name: "workplace_users_group", Unwritable: true, AllowNobody: true, AllowEveryone: true, Default: Everyone},
})

// withLevels takes the levels from the table of feature levels.
func withLevels(resource string, permissions []Permission) []Permission {
	for i := range permissions {
		permissions[i].Since = featurelevel.Lookup(resource, permissions[i].Name)
	}
	return permissions
}
