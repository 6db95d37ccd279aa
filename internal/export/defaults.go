package export

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// What something new has, as a configuration writes it (server-behavior §O9). Permissions are not here: the server itself
// says their defaults (server-behavior §P7). What a newer server begins with in another way is written down, which changes
// nothing.

// channelDefaults are what a new channel has.
var channelDefaults = map[string]any{
	"default_push_notifications": false,
	"description":                "",
	"folder":                     "",
	"folder_id":                  0,
	"is_default":                 false,
	"message_retention_days":     "realm_default",
	"privacy":                    "public",
	"topics_policy":              "inherit",
}

// botDefaults are what a new bot has.
var botDefaults = map[string]any{
	"default_all_public_streams":     false,
	"default_events_register_stream": "",
	"default_sending_stream":         "",
	"interface":                      "generic",
	"role":                           "member",
}

// organizationDefaults are what a new organization has.
var organizationDefaults = map[string]any{
	"allow_message_editing":                          true,
	"avatar_changes_disabled":                        false,
	"default_avatar_source":                          "jdenticon",
	"default_code_block_language":                    "",
	"default_language":                               "en",
	"description":                                    "",
	"digest_emails_enabled":                          false,
	"digest_weekday":                                 "tuesday",
	"disallow_disposable_email_addresses":            true,
	"email_changes_disabled":                         false,
	"emails_restricted_to_domains":                   false,
	"enable_guest_user_dm_warning":                   true,
	"enable_guest_user_indicator":                    true,
	"enable_read_receipts":                           true,
	"enable_spectator_access":                        false,
	"giphy_rating":                                   "g",
	"inline_image_preview":                           true,
	"inline_url_embed_preview":                       false,
	"invite_required":                                true,
	"jitsi_server_url":                               "default",
	"media_preview_size":                             100,
	"message_content_allowed_in_email_notifications": true,
	"message_content_delete_limit_seconds":           "600",
	"message_content_edit_limit_seconds":             "600",
	"message_edit_history_visibility_policy":         "all",
	"message_retention_days":                         "unlimited",
	"moderation_request_channel_id":                  -1,
	"move_messages_between_streams_limit_seconds":    "604800",
	"move_messages_within_stream_limit_seconds":      "604800",
	"name_changes_disabled":                          false,
	"new_stream_announcements_stream_id":             -1,
	"org_type":                                       "unspecified",
	"require_e2ee_push_notifications":                false,
	"require_unique_names":                           false,
	"send_channel_events_messages":                   false,
	"send_welcome_emails":                            true,
	"signup_announcements_stream_id":                 -1,
	"topics_policy":                                  "allow_empty_topic",
	"video_chat_provider":                            "jitsi_meet",
	"waiting_period_threshold":                       0,
	"want_advertise_in_communities_directory":        false,
	"welcome_message_custom_text":                    "",
	"zulip_update_announcements_stream_id":           -1,
}

// userDefaults are the settings that a new organization gives to new people.
var userDefaults = map[string]any{
	"automatically_follow_topics_policy":                  "initiation",
	"automatically_follow_topics_where_mentioned":         true,
	"automatically_unmute_topics_in_muted_streams_policy": "send",
	"color_scheme":                                "automatic",
	"demote_inactive_streams":                     "automatic",
	"desktop_icon_count_display":                  "messages",
	"display_emoji_reaction_users":                true,
	"email_address_visibility":                    "administrators",
	"email_notifications_batching_period_seconds": 120,
	"emojiset":                                       "google",
	"enable_desktop_notifications":                   true,
	"enable_digest_emails":                           true,
	"enable_drafts_synchronization":                  true,
	"enable_followed_topic_audible_notifications":    true,
	"enable_followed_topic_desktop_notifications":    true,
	"enable_followed_topic_email_notifications":      true,
	"enable_followed_topic_push_notifications":       true,
	"enable_followed_topic_wildcard_mentions_notify": true,
	"enable_offline_email_notifications":             true,
	"enable_offline_push_notifications":              true,
	"enable_online_push_notifications":               true,
	"enable_sounds":                                  true,
	"enable_stream_audible_notifications":            false,
	"enable_stream_desktop_notifications":            false,
	"enable_stream_email_notifications":              false,
	"enable_stream_push_notifications":               false,
	"enter_sends":                                    false,
	"fluid_layout_width":                             false,
	"hide_ai_features":                               false,
	"high_contrast_mode":                             false,
	"left_side_userlist":                             false,
	"message_content_in_email_notifications":         true,
	"notification_sound":                             "zulip",
	"pm_content_in_desktop_notifications":            true,
	"presence_enabled":                               true,
	"realm_name_in_email_notifications_policy":       "automatic",
	"receives_typing_notifications":                  true,
	"resolved_topic_notice_auto_read_policy":         "except_followed",
	"send_private_typing_notifications":              true,
	"send_read_receipts":                             true,
	"send_stream_typing_notifications":               true,
	"starred_message_counts":                         true,
	"translate_emoticons":                            false,
	"twenty_four_hour_time":                          false,
	"user_list_style":                                "with_avatar",
	"web_animate_image_previews":                     "on_hover",
	"web_channel_default_view":                       "first_topic",
	"web_escape_navigates_to_home_view":              true,
	"web_font_size_px":                               16,
	"web_home_view":                                  "inbox",
	"web_inbox_show_channel_folders":                 true,
	"web_left_sidebar_show_channel_folders":          true,
	"web_left_sidebar_unreads_count_summary":         true,
	"web_line_height_percent":                        140,
	"web_mark_read_on_scroll_policy":                 "always",
	"web_navigate_to_sent_message":                   true,
	"web_stream_unreads_count_display_policy":        "unmuted_streams",
	"web_suggest_update_timezone":                    true,
	"wildcard_mentions_notify":                       true,
}

// isDefault reports whether an attribute has the value that anything new of that server has.
func (e *export) isDefault(o *object, name string, value tftypes.Value) bool {
	if slices.Contains(o.kind.always, name) {
		return false
	}
	if permission, ok := e.realm.SupportedPermissions[o.kind.permissions][name]; ok {
		words := wordsOf(value)
		if strings.Contains(permission.DefaultGroupName, "creator") {
			return e.isCreator(o, words)
		}
		if len(words) == 0 {
			words = []string{"role:nobody"}
		}
		return len(words) == 1 && words[0] == permission.DefaultGroupName
	}
	if name == "authentication_methods" {
		return e.allowsEveryLogin(wordsOf(value))
	}
	standard, ok := o.kind.defaults[name]
	return ok && isSame(value, standard)
}

// isCreator reports whether principals are who created an object, and nobody else: what the server makes of a permission that
// nobody has set.
func (e *export) isCreator(o *object, words []string) bool {
	id, err := strconv.ParseInt(o.text("creator_id"), 10, 64)
	creator, ok := e.snapshot.User(id)
	return err == nil && ok && len(words) == 1 && words[0] == userPrefix+creator.Address()
}

// allowsEveryLogin reports whether every way to log in is allowed that the server has.
func (e *export) allowsEveryLogin(methods []string) bool {
	for name, method := range e.realm.AuthenticationMethods {
		if method.Available != slices.Contains(methods, name) {
			return false
		}
	}
	return true
}

// isSame reports whether a value is what a plain one says: a text, a number, a truth value, or an empty list.
func isSame(value tftypes.Value, plain any) bool {
	if value.IsNull() || !value.IsFullyKnown() {
		return false
	}
	switch plain := plain.(type) {
	case string:
		return value.Type().Is(tftypes.String) && textOf(value) == plain
	case int:
		return value.Type().Is(tftypes.Number) && numberOf(value).Cmp(big.NewFloat(float64(plain))) == 0
	case bool:
		var is bool
		return value.As(&is) == nil && is == plain
	case []any:
		var elements []tftypes.Value
		return value.As(&elements) == nil && len(elements) == 0 && len(plain) == 0
	}
	return false
}

// numberOf returns a number; zero for anything else.
func numberOf(value tftypes.Value) *big.Float {
	number := new(big.Float)
	if value.As(&number) != nil || number == nil {
		return new(big.Float)
	}
	return number
}

// wordsOf returns the texts of a list or set, sorted.
func wordsOf(value tftypes.Value) []string {
	var elements []tftypes.Value
	if value.As(&elements) != nil {
		return nil
	}
	words := make([]string, 0, len(elements))
	for _, element := range elements {
		words = append(words, textOf(element))
	}
	slices.SortFunc(words, strings.Compare)
	return words
}
