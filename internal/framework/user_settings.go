package framework

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
)

// UserSettings are the personal settings for which an organization has defaults
// (https://zulip.com/api/update-realm-user-settings-defaults), with the levels of a resource or action, by what they are
// about. Where the server has numbers, the words are the names it has for them.
func UserSettings(of string) Settings {
	return SettingsOf(of, Settings{
		// How Zulip looks.
		{Name: "color_scheme", Kind: CodeSetting{{Word: "automatic", Number: 1}, {Word: "dark", Number: 2}, {Word: "light", Number: 3}},
			Description: "The colors; `automatic` follows the device. Zulip starts with `automatic`."},
		{Name: "emojiset", Kind: WordSetting{"google", "twitter", "text"},
			Description: "How emoji are drawn; `text` writes their names. Zulip starts with `google`."},
		{Name: "fluid_layout_width", Kind: FlagSetting{},
			Description: "Whether the web app uses the full width of a wide screen. Zulip starts with `false`."},
		{Name: "high_contrast_mode", Kind: FlagSetting{},
			Description: "Whether the contrast is high. Zulip starts with `false`, and its apps do not show the setting any more."},
		{Name: "twenty_four_hour_time", Kind: FlagSetting{},
			Description: "Whether times are written as 17:00 and not as 5:00 PM. Zulip starts with `false`."},
		{Name: "user_list_style",
			Kind:        CodeSetting{{Word: "compact", Number: 1}, {Word: "with_status", Number: 2}, {Word: "with_avatar", Number: 3}},
			Description: "What the list of people shows beside names. Zulip starts with `with_avatar`."},
		{Name: "left_side_userlist", Kind: FlagSetting{},
			Description: "Whether the list of people stands on the left in narrow windows. Zulip starts with `false`, and its apps do not show the setting any more."},
		{Name: "web_font_size_px", Kind: NumberSetting{Min: 1, Max: maxSmallNumber},
			Description: "The size of the web app's letters, in pixels. Zulip starts with 16."},
		{Name: "web_line_height_percent", Kind: NumberSetting{Min: 1, Max: maxSmallNumber},
			Description: "The height of the web app's lines, in percent of the letters' size. Zulip starts with 140."},
		{Name: "web_animate_image_previews", Kind: WordSetting{"always", "on_hover", "never"},
			Description: "When animated images move. Zulip starts with `on_hover`."},
		{Name: "translate_emoticons", Kind: FlagSetting{},
			Description: "Whether `:)` becomes an emoji. Zulip starts with `false`."},
		{Name: "display_emoji_reaction_users", Kind: FlagSetting{},
			Description: "Whether reactions show the names of who reacted, where they are few. Zulip starts with `true`."},
		{Name: "hide_ai_features", Kind: FlagSetting{},
			Description: "Whether features that use AI are hidden. Zulip starts with `false`."},

		// Where one gets to, and what is listed.
		{Name: "web_home_view", Kind: WordSetting{"recent", "recent_topics", "inbox", "all_messages"}, Synonyms: homeViews,
			Description: fmt.Sprintf("What the web app opens with. Zulip starts with `inbox`. %#q and %#q are the same: servers took the one below feature level %d, and take the other from there on; either is sent as the server takes it.", homeViews.Old, homeViews.New, homeViews.Level)},
		{Name: "web_escape_navigates_to_home_view", Kind: FlagSetting{},
			Description: "Whether the escape key goes to `web_home_view`. Zulip starts with `true`."},
		{Name: "web_channel_default_view",
			Kind: CodeSetting{{Word: "first_topic", Number: 1}, {Word: "channel_feed", Number: 2},
				{Word: "list_of_topics", Number: 3}, {Word: "top_unread_topic", Number: 4}},
			Description: "What a channel's link in the sidebar opens. Zulip starts with `first_topic`."},
		{Name: "web_navigate_to_sent_message", Kind: FlagSetting{},
			Description: "Whether the web app goes to where a message was sent. Zulip starts with `true`."},
		{Name: "web_mark_read_on_scroll_policy",
			Kind:        CodeSetting{{Word: "always", Number: 1}, {Word: "conversation_only", Number: 2}, {Word: "never", Number: 3}},
			Description: "Where scrolling marks messages as read; `conversation_only` is not in feeds of several topics. Zulip starts with `always`."},
		{Name: "web_stream_unreads_count_display_policy",
			Kind:        CodeSetting{{Word: "all_streams", Number: 1}, {Word: "unmuted_streams", Number: 2}, {Word: "no_streams", Number: 3}},
			Description: "Which channels show how much is unread. Zulip starts with `unmuted_streams`."},
		{Name: "web_left_sidebar_unreads_count_summary", Kind: FlagSetting{},
			Description: "Whether the left sidebar sums up what is unread. Zulip starts with `true`."},
		{Name: "web_left_sidebar_show_channel_folders", Kind: FlagSetting{},
			Description: "Whether the left sidebar puts channels into their folders. Zulip starts with `true`."},
		{Name: "web_inbox_show_channel_folders", Kind: FlagSetting{},
			Description: "Whether the inbox puts channels into their folders. Zulip starts with `true`."},
		{Name: "demote_inactive_streams",
			Kind:        CodeSetting{{Word: "automatic", Number: 1}, {Word: "always", Number: 2}, {Word: "never", Number: 3}},
			Description: "Whether channels without traffic go to the end of the list; `automatic` is for those who are in many. Zulip starts with `automatic`."},
		{Name: "starred_message_counts", Kind: FlagSetting{},
			Description: "Whether the number of starred messages is shown. Zulip starts with `true`."},
		{Name: "web_suggest_update_timezone", Kind: FlagSetting{},
			Description: "Whether the web app offers to change the time zone to the browser's. Zulip starts with `true`."},

		// Topics.
		{Name: "automatically_follow_topics_policy", Kind: topicPolicy,
			Description: "What makes a person follow a topic: any part taken in it, a message sent, the topic started, or nothing. Zulip starts with `initiation`."},
		{Name: "automatically_unmute_topics_in_muted_streams_policy", Kind: topicPolicy,
			Description: "What makes a topic of a muted channel heard again: any part taken in it, a message sent, the topic started, or nothing. Zulip starts with `send`."},
		{Name: "automatically_follow_topics_where_mentioned", Kind: FlagSetting{},
			Description: "Whether to be mentioned makes a person follow the topic. Zulip starts with `true`."},
		{Name: "resolved_topic_notice_auto_read_policy", Kind: WordSetting{"always", "except_followed", "never"},
			Description: "Where the notice that a topic is resolved counts as read. Zulip starts with `except_followed`."},

		// Writing, and what others see of it.
		{Name: "enter_sends", Kind: FlagSetting{},
			Description: "Whether the enter key sends a message. Zulip starts with `false`."},
		{Name: "enable_drafts_synchronization", Kind: FlagSetting{},
			Description: "Whether drafts are kept on the server, and so seen on every device. Zulip starts with `true`."},
		{Name: "send_stream_typing_notifications", Kind: FlagSetting{},
			Description: "Whether others see that a person writes to a channel. Zulip starts with `true`."},
		{Name: "send_private_typing_notifications", Kind: FlagSetting{},
			Description: "Whether others see that a person writes to them. Zulip starts with `true`."},
		{Name: "receives_typing_notifications", Kind: FlagSetting{},
			Description: "Whether a person sees that others write. Zulip starts with `true`."},
		{Name: "send_read_receipts", Kind: FlagSetting{},
			Description: "Whether others see what a person has read. Zulip starts with `true`."},
		{Name: "presence_enabled", Kind: FlagSetting{},
			Description: "Whether others see that a person is there. Zulip starts with `true`."},
		{Name: "email_address_visibility",
			Kind: CodeSetting{{Word: "everyone", Number: 1}, {Word: "members", Number: 2}, {Word: "moderators", Number: 5},
				{Word: "administrators", Number: 3}, {Word: "nobody", Number: 4}},
			Description: "Who sees a person's e-mail address, each with all roles above it. A new organization starts with what fits its type, most often `administrators`."},

		// Notifications on the device.
		{Name: "enable_stream_desktop_notifications", Kind: FlagSetting{}, Description: "Whether messages in channels are shown on the desktop. Zulip starts with `false`."},
		{Name: "enable_stream_audible_notifications", Kind: FlagSetting{}, Description: "Whether messages in channels make a sound. Zulip starts with `false`."},
		{Name: "enable_stream_push_notifications", Kind: FlagSetting{}, Description: "Whether messages in channels are pushed to mobile devices. Zulip starts with `false`."},
		{Name: "enable_stream_email_notifications", Kind: FlagSetting{}, Description: "Whether messages in channels are sent by e-mail. Zulip starts with `false`."},
		{Name: "enable_followed_topic_desktop_notifications", Kind: FlagSetting{}, Description: "Whether messages in followed topics are shown on the desktop. Zulip starts with `true`."},
		{Name: "enable_followed_topic_audible_notifications", Kind: FlagSetting{}, Description: "Whether messages in followed topics make a sound. Zulip starts with `true`."},
		{Name: "enable_followed_topic_push_notifications", Kind: FlagSetting{}, Description: "Whether messages in followed topics are pushed to mobile devices. Zulip starts with `true`."},
		{Name: "enable_followed_topic_email_notifications", Kind: FlagSetting{}, Description: "Whether messages in followed topics are sent by e-mail. Zulip starts with `true`."},
		{Name: "enable_followed_topic_wildcard_mentions_notify", Kind: FlagSetting{}, Description: "Whether a mention of everybody in a followed topic counts as one of the person. Zulip starts with `true`."},
		{Name: "wildcard_mentions_notify", Kind: FlagSetting{}, Description: "Whether a mention of everybody counts as one of the person. Zulip starts with `true`."},
		{Name: "enable_desktop_notifications", Kind: FlagSetting{}, Description: "Whether direct messages and mentions are shown on the desktop. Zulip starts with `true`."},
		{Name: "enable_sounds", Kind: FlagSetting{}, Description: "Whether direct messages and mentions make a sound. Zulip starts with `true`."},
		{Name: "enable_offline_push_notifications", Kind: FlagSetting{}, Description: "Whether direct messages and mentions are pushed to mobile devices of people who are away. Zulip starts with `true`."},
		{Name: "enable_online_push_notifications", Kind: FlagSetting{}, Description: "Whether they are pushed to mobile devices of people who are at their desk, too. Zulip starts with `true`."},
		{Name: "enable_offline_email_notifications", Kind: FlagSetting{}, Description: "Whether direct messages and mentions are sent by e-mail to people who are away. Zulip starts with `true`."},
		{Name: "notification_sound", Kind: TextSetting{},
			Description: "The sound, by its name in the web app's settings, as in `zulip` or `ding`; `none` is silence. Zulip starts with `zulip`."},
		{Name: "pm_content_in_desktop_notifications", Kind: FlagSetting{}, Description: "Whether what is shown on the desktop has the words of direct messages in it. Zulip starts with `true`."},
		{Name: "desktop_icon_count_display",
			Kind: CodeSetting{{Word: "messages", Number: 1}, {Word: "dm_mention_followed_topic", Number: 2},
				{Word: "dm_mention", Number: 3}, {Word: "none", Number: 4}},
			Description: "What the number at the desktop app's icon counts: all that is unread; direct messages, mentions and followed topics; direct messages and mentions; or nothing. Zulip starts with `messages`."},

		// E-mail.
		{Name: "enable_digest_emails", Kind: FlagSetting{}, Description: "Whether people who are away get a summary by e-mail. Zulip starts with `true`."},
		{Name: "email_notifications_batching_period_seconds", Kind: NumberSetting{Min: 1, Max: 7 * 24 * 60 * 60},
			Description: "How many seconds the server waits for more before it sends an e-mail about messages. Zulip starts with 120."},
		{Name: "message_content_in_email_notifications", Kind: FlagSetting{}, Description: "Whether e-mails about messages have their words in them. Zulip starts with `true`."},
		{Name: "realm_name_in_email_notifications_policy",
			Kind:        CodeSetting{{Word: "automatic", Number: 1}, {Word: "always", Number: 2}, {Word: "never", Number: 3}},
			Description: "Whether the subject of e-mails about messages names the organization; `automatic` is for those who are in several. Zulip starts with `automatic`."},
	})
}

// maxSmallNumber is the largest number that the server's database has room for.
const maxSmallNumber = 32767

// homeViews are the words for the list of recent conversations.
var homeViews = Synonyms{Old: "recent_topics", New: "recent", Level: featurelevel.HomeViewRecent}

// topicPolicy is what a person has to do in a topic for something to happen.
var topicPolicy = CodeSetting{
	{Word: "participation", Number: 1}, {Word: "send", Number: 2}, {Word: "initiation", Number: 3}, {Word: "never", Number: 4},
}

// CheckSound refuses, of settings that are to be sent, a sound that the server does not have. Which there are it tells with
// the settings that new accounts start with.
func (s Settings) CheckSound(ctx context.Context, plan SettingValues, base *Base, diags *diag.Diagnostics) {
	const attribute, silence = "notification_sound", "none"
	text, _ := plan[attribute].(types.String)
	if !slices.ContainsFunc(s, func(s Setting) bool { return s.Name == attribute }) || !IsSet(text) || text.ValueString() == silence {
		return
	}
	view, err := base.Meta.Store.Read(ctx, store.UserDefaults)
	if err != nil {
		diags.AddError("Cannot read the default user settings", Explain(err))
		return
	}
	var sounds []string
	if err := json.Unmarshal(view.UserDefaults()["available_notification_sounds"], &sounds); err != nil {
		return // the server does not tell
	}
	if !slices.Contains(sounds, text.ValueString()) {
		diags.AddAttributeError(path.Root(attribute), "No such sound",
			fmt.Sprintf("The server has no sound %q. It has %s, and %s.", text.ValueString(), strings.Join(sounds, ", "), silence))
	}
}
