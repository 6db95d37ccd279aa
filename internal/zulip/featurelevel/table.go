package featurelevel

import "slices"

// Table lists everything that requires a level.
var Table = slices.Concat(
	// Channels and subscriptions.
	rowsOf("zulip_channel",
		attributesSince(389, "folder", "folder_id"),
		attributesSince(392, "topics_policy"),
		attributeValue(ReactivateChannel, "adopt_archived", "true"),
		attributeValue(404, "topics_policy", "empty_topic_only"),
		attributesSince(396, "can_move_messages_out_of_channel_group", "can_move_messages_within_channel_group"),
		attributesSince(402, "can_resolve_topics_group"),
		attributesSince(407, "can_delete_any_message_group", "can_delete_own_message_group"),
		attributesSince(441, "can_create_topic_group"),
		attributesSince(ChannelPushNotifications, "default_push_notifications"),
	),
	rowsOf("zulip_channel_folder", wholeResource(389)),
	rowsOf("zulip_channel_folder_order", attributesSince(414, "folder_ids")),
	rowsOf("zulip_channel_subscribers", attributeValue(QuietSubscribing, "send_new_subscription_messages", "false")),
	rowsOf("zulip_channel_subscription", attributeValue(QuietSubscribing, "send_new_subscription_messages", "false")),

	// User groups.
	rowsOf("zulip_user_group",
		attributeValue(386, "adopt_deactivated", "true"),
	),

	// People and bots.
	rowsOf("zulip_user",
		attributesSince(DeactivationActions, "deactivation_actions"),
		readOnly(DeletedUsers, "is_deleted"),
	),
	rowsOf("zulip_user_status", attributeWithFallback(StatusOfOthers, "user", "", "Only the status of the provider's account can be set.")),
	rowsOf("zulip_invitation",
		attributesSince(416, "welcome_message_custom_text"),
	),
	rowsOf("zulip_invite_link",
		attributesSince(416, "welcome_message_custom_text"),
	),

	// The organization.
	rowsOf("zulip_organization",
		attributesSince(392, "topics_policy"),
		attributesSince(409, "require_e2ee_push_notifications"),
		attributesSince(416, "welcome_message_custom_text"),
		attributesSince(434, "send_channel_events_messages"),
		attributeValue(460, "video_chat_provider", "constructor_groups"),
		attributeValue(465, "video_chat_provider", "nextcloud_talk"),
		attributeValue(493, "video_chat_provider", "webex"),
		attributesSince(456, "default_avatar_source"),
		attributesSince(469, "media_preview_size"),
		readOnly(WorkplaceUsers, "workplace_users_group"),
		attributesSince(392, "can_set_topics_policy_group"),
		attributesSince(407, "can_set_delete_message_policy_group"),
	),
	rowsOf("zulip_default_user_settings",
		attributesSince(385, "resolved_topic_notice_auto_read_policy"),
		attributesSince(398, "web_left_sidebar_unreads_count_summary"),
		attributesSince(411, "web_left_sidebar_show_channel_folders"),
		attributesSince(431, "web_inbox_show_channel_folders"),
		attributeValue(383, "web_channel_default_view", "list_of_topics"),
		attributeValue(401, "web_channel_default_view", "top_unread_topic"),
	),
	rowsOf("zulip_set_user_settings", wholeResource(TargetUsers)),
	rowsOf("zulip_linkifier",
		attributesSince(471, "example_input", "reverse_template"),
		attributesSince(478, "alternative_url_templates"),
	),
	rowsOf("zulip_custom_profile_field",
		attributeWithFallback(476, "display_in_profile_summary", "true", "Setting it for a field of the type `long_text` is an error during plan."),
		attributesSince(455, "use_for_user_matching"),
	),

	// Messages.
	rowsOf("zulip_report_message", wholeResource(382)),
	rowsOf("zulip_message", readOnly(MessageURL, "message_url", "message_link")),
	rowsOf("zulip_message_flags", attributeValue(HideLinkPreviews, "flag", "hide_link_previews")),
	rowsOf("zulip_message_flags_for_narrow", attributeValue(HideLinkPreviews, "flag", "hide_link_previews")),
)
