package organization

import (
	"fmt"
	"math"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
)

// The server's limits, counted in characters (server-behavior §O6).
const (
	maxName           = 40
	maxDescription    = 1000
	maxWelcomeMessage = 8000
	maxJitsiURL       = 200
)

// settings are what `PATCH /realm` sets beside the permissions (server-behavior §O3), in the order of the pages on
// which administrators find them. Its `string_id`, which moves a demo organization to another address, is left out: the
// provider would not find the organization any more.
var settings = framework.SettingsOf("zulip_organization", framework.Settings{
	// Organization profile.
	{Name: "name", Kind: nameKind{}, Description: "The organization's name."},
	{Name: "description", Kind: framework.TextSetting{MaxLength: maxDescription}, Description: "What the organization is for, in Markdown; people see it before they log in."},
	{Name: "org_type", Kind: organizationTypes, Description: "The kind of organization."},
	{Name: "want_advertise_in_communities_directory", Kind: framework.FlagSetting{}, Description: "Whether the organization may be listed in Zulip's directory of communities."},

	// Organization settings: how the organization announces and speaks.
	{Name: "new_stream_announcements_stream_id", Kind: channelKind{}, Description: "The channel in which new channels are announced."},
	{Name: "signup_announcements_stream_id", Kind: channelKind{}, Description: "The channel in which new people are announced."},
	{Name: "zulip_update_announcements_stream_id", Kind: channelKind{}, Description: "The channel in which news of Zulip are announced."},
	{Name: "send_channel_events_messages", Kind: framework.FlagSetting{}, Description: "Whether a channel tells who came and who left."},
	{Name: "default_language", Kind: framework.TextSetting{}, Description: "The language of automatic messages and invitations, and of new people, as a code like `en`, `de` or `pt-br`."},
	{Name: "default_code_block_language", Kind: framework.TextSetting{}, Description: "The language of code blocks that name none; empty for none."},
	{Name: "welcome_message_custom_text", Kind: framework.TextSetting{MaxLength: maxWelcomeMessage}, Description: "What Welcome Bot adds to its greeting of new people, in Markdown; empty for nothing."},
	{Name: "send_welcome_emails", Kind: framework.FlagSetting{}, Description: "Whether new people are sent e-mails that show them around."},
	{Name: "digest_emails_enabled", Kind: framework.FlagSetting{}, Description: "Whether people who stay away are sent a weekly digest. It can be turned on only where the server sends digests."},
	{Name: "digest_weekday", Kind: weekdays, Description: "The day on which digests are sent."},
	{Name: "message_content_allowed_in_email_notifications", Kind: framework.FlagSetting{}, Description: "Whether e-mail notifications may show what was written."},
	{Name: "require_e2ee_push_notifications", Kind: framework.FlagSetting{}, Description: "Whether notifications of mobile devices show what was written only if they are encrypted from end to end. Others go without the text below feature level 500, and are not sent at all from there on."},
	{Name: "topics_policy", Kind: framework.WordSetting{"allow_empty_topic", "disable_empty_topic"}, Description: "Whether messages in channels may go without a topic; a channel can have its own policy."},
	{Name: "message_retention_days", Kind: limitKind{unit: "days"}, OwnerOnly: true, Description: "How long messages are kept; a channel can have its own time."},
	{Name: "inline_image_preview", Kind: framework.FlagSetting{}, Description: "Whether images that were uploaded or linked are shown."},
	{Name: "inline_url_embed_preview", Kind: framework.FlagSetting{}, Description: "Whether linked websites are previewed."},
	{Name: "giphy_rating", Renamed: "gif_rating_policy", Kind: gifRatings, Description: fmt.Sprintf("Which GIFs people are offered, by their rating; `disabled` offers none. From feature level %d on, servers call the setting `gif_rating_policy`.", featurelevel.GIFRatingPolicy)},
	{Name: "media_preview_size", Kind: previewSizeKind{}, Description: "How large images and videos are previewed, in percent of the smallest size."},
	{Name: "video_chat_provider", Kind: videoChatProviders, Description: "The provider of calls. Only those the server is set up for can be chosen."},
	{Name: "jitsi_server_url", Kind: jitsiKind{}, Description: "The address of the Jitsi Meet server for calls, or `default` for the one the server is set up with."},

	// Organization permissions: what is not said by naming people.
	{Name: "invite_required", Kind: framework.FlagSetting{}, OwnerOnly: true, Description: "Whether nobody can join without an invitation."},
	{Name: "emails_restricted_to_domains", Kind: framework.FlagSetting{}, OwnerOnly: true, Description: "Whether only addresses of the organization's domains can join."},
	{Name: "disallow_disposable_email_addresses", Kind: framework.FlagSetting{}, OwnerOnly: true, Description: "Whether disposable e-mail addresses cannot join; it counts where any domain may."},
	{Name: "waiting_period_threshold", Kind: framework.NumberSetting{Min: 0, Max: math.MaxInt32}, OwnerOnly: true, Description: "How many days it takes until a new member is a full member. It changes who is in `role:fullmembers` at once."},
	{Name: "enable_spectator_access", Kind: framework.FlagSetting{}, Description: "Whether channels can be opened to anyone on the internet. It takes effect only where the server allows such channels."},
	{Name: "moderation_request_channel_id", Kind: channelKind{}, Description: "The private channel to which people report messages."},
	{Name: "enable_guest_user_indicator", Kind: framework.FlagSetting{}, Description: "Whether guests are marked as such beside their names."},
	{Name: "enable_guest_user_dm_warning", Kind: framework.FlagSetting{}, Description: "Whether people are warned when they write a direct message to a guest."},
	{Name: "enable_read_receipts", Kind: framework.FlagSetting{}, Description: "Whether people see who has read a message."},
	{Name: "require_unique_names", Kind: framework.FlagSetting{}, Description: "Whether no two people can have the same name."},
	{Name: "name_changes_disabled", Kind: framework.FlagSetting{}, Description: "Whether people cannot change their own names; administrators still can."},
	{Name: "email_changes_disabled", Kind: framework.FlagSetting{}, Description: "Whether people cannot change their own e-mail addresses; administrators still can."},
	{Name: "default_avatar_source", Kind: avatarKind{}, Description: "Where the pictures of new people come from until they have their own: `gravatar` asks Gravatar, `jdenticon` draws one."},
	{Name: "avatar_changes_disabled", Kind: framework.FlagSetting{}, Description: "Whether people cannot change their own pictures; administrators still can."},
	{Name: "allow_message_editing", Kind: framework.FlagSetting{}, Description: "Whether people can edit their own messages."},
	{Name: "message_content_edit_limit_seconds", Kind: limitKind{unit: "seconds"}, Description: "How long people can edit their own messages."},
	{Name: "message_edit_history_visibility_policy", Kind: framework.WordSetting{"all", "moves", "none"}, Description: "What people see of earlier versions of a message: edits and moves, moves only, or nothing."},
	{Name: "message_content_delete_limit_seconds", Kind: limitKind{unit: "seconds"}, Description: "How long people can delete their own messages."},
	{Name: "move_messages_within_stream_limit_seconds", Kind: limitKind{unit: "seconds"}, Description: "How long members can move messages to another topic of the channel."},
	{Name: "move_messages_between_streams_limit_seconds", Kind: limitKind{unit: "seconds"}, Description: "How long members can move messages to another channel."},

	// Authentication methods.
	{Name: "authentication_methods", Kind: methodsKind{}, OwnerOnly: true, Description: "The ways to log in, all others being off: names as the server has them, such as `Email`, `Google`, `GitHub`, `LDAP` or `SAML`. API keys work whatever they are."},
})

// organizationTypes are the kinds of organizations (server-behavior §O7).
var organizationTypes = framework.CodeSetting{
	{Word: "unspecified", Number: 0}, {Word: "business", Number: 10}, {Word: "opensource", Number: 20},
	{Word: "education_nonprofit", Number: 30}, {Word: "education", Number: 35}, {Word: "research", Number: 40},
	{Word: "event", Number: 50}, {Word: "nonprofit", Number: 60}, {Word: "government", Number: 70},
	{Word: "political_group", Number: 80}, {Word: "community", Number: 90}, {Word: "personal", Number: 100},
	{Word: "other", Number: 1000},
}

// weekdays begin with Monday, as on the wire.
var weekdays = framework.CodeSetting{
	{Word: "monday", Number: 0}, {Word: "tuesday", Number: 1}, {Word: "wednesday", Number: 2}, {Word: "thursday", Number: 3},
	{Word: "friday", Number: 4}, {Word: "saturday", Number: 5}, {Word: "sunday", Number: 6},
}

// gifRatings have the server's words (`gif_rating_options`).
var gifRatings = framework.CodeSetting{
	{Word: "disabled", Number: 0}, {Word: "g", Number: 1}, {Word: "pg", Number: 2}, {Word: "pg-13", Number: 3}, {Word: "r", Number: 4},
}

// videoChatProviders have the server's words (`realm_available_video_chat_providers`); 2 was a provider that is no more.
var videoChatProviders = framework.CodeSetting{
	{Word: "disabled", Number: 0}, {Word: "jitsi_meet", Number: 1}, {Word: "zoom", Number: 3}, {Word: "big_blue_button", Number: 4},
	{Word: "zoom_server_to_server", Number: 5}, {Word: "constructor_groups", Number: 6}, {Word: "nextcloud_talk", Number: 7},
	{Word: "webex", Number: 8},
}
