package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// UserDefaults holds the changed settings for new accounts; UserSettings has the rest (server-behavior §O8).
type UserDefaults struct {
	Flags   map[string]bool   `json:"flags,omitempty"`
	Numbers map[string]int    `json:"numbers,omitempty"`
	Texts   map[string]string `json:"texts,omitempty"`
}

// userDefaultsID is the key of the only row of the table.
const userDefaultsID = 1

// UserSetting describes one of the settings: its default, and its possible values.
type UserSetting struct {
	Name string
	// Default is a bool, an int or a string, and determines the setting's type.
	Default any
	// Numbers and Words are the possible values; empty: any.
	Numbers []int
	Words   []string
	// Renamed is a renamed word.
	Renamed RenamedWord
	// Listed is true if the server words a refusal of Words like one of numbers. ListedForPeople is true if it does so when
	// people change their own settings.
	Listed, ListedForPeople bool
}

// RenamedWord is a word of a setting that is Old below a feature level and New from it on. Stored values are migrated.
type RenamedWord struct {
	Level    int
	Old, New string
}

// WordsAt returns the possible words on a server of a feature level.
func (s UserSetting) WordsAt(level int) []string {
	words := slices.Clone(s.Words)
	for i, word := range words {
		words[i] = s.wordAt(level, word)
	}
	return words
}

// wordAt returns the form of a stored word on a server of a feature level.
func (s UserSetting) wordAt(level int, word string) string {
	switch old, now := s.Renamed.Old, s.Renamed.New; {
	case word == "" || word != old && word != now:
		return word
	case level >= s.Renamed.Level:
		return now
	default:
		return old
	}
}

// Since returns the first feature level of the setting; 0: all levels have it.
func (s UserSetting) Since() int { return featurelevel.Lookup("zulip_default_user_settings", s.Name) }

// UserSettings lists the settings that can be changed, flags last.
var UserSettings = slices.Concat(
	[]UserSetting{
		{Name: "automatically_follow_topics_policy", Default: 3, Numbers: upTo(4)},
		{Name: "automatically_unmute_topics_in_muted_streams_policy", Default: 2, Numbers: upTo(4)},
		{Name: "color_scheme", Default: 1, Numbers: upTo(3)},
		{Name: "demote_inactive_streams", Default: 1, Numbers: upTo(3)},
		{Name: "desktop_icon_count_display", Default: 1, Numbers: upTo(4)},
		{Name: "email_address_visibility", Default: EmailVisibleToAdmins, Numbers: upTo(5)},
		{Name: "email_notifications_batching_period_seconds", Default: 120},
		{Name: "realm_name_in_email_notifications_policy", Default: 1, Numbers: upTo(3)},
		{Name: "user_list_style", Default: 3, Numbers: upTo(3)},
		{Name: "web_channel_default_view", Default: 1, Numbers: upTo(4)},
		{Name: "web_font_size_px", Default: 16},
		{Name: "web_line_height_percent", Default: 140},
		{Name: "web_mark_read_on_scroll_policy", Default: 1, Numbers: upTo(3)},
		{Name: "web_stream_unreads_count_display_policy", Default: 2, Numbers: upTo(3)},
		{Name: "emojiset", Default: "google", Words: []string{"google", "twitter", "text"}, Listed: true},
		{Name: "notification_sound", Default: "zulip"},
		{Name: "resolved_topic_notice_auto_read_policy", Default: "except_followed", Words: []string{"always", "except_followed", "never"}},
		{Name: "web_animate_image_previews", Default: "on_hover", Words: []string{"always", "on_hover", "never"}, ListedForPeople: true},
		{
			Name: "web_home_view", Default: "inbox", Words: []string{"recent_topics", "inbox", "all_messages"},
			ListedForPeople: true, Renamed: RenamedWord{featurelevel.HomeViewRecent, "recent_topics", "recent"},
		},
	},
	userFlags(true, "automatically_follow_topics_where_mentioned display_emoji_reaction_users enable_desktop_notifications "+
		"enable_digest_emails enable_drafts_synchronization enable_followed_topic_audible_notifications "+
		"enable_followed_topic_desktop_notifications enable_followed_topic_email_notifications "+
		"enable_followed_topic_push_notifications enable_followed_topic_wildcard_mentions_notify "+
		"enable_offline_email_notifications enable_offline_push_notifications enable_online_push_notifications "+
		"enable_sounds message_content_in_email_notifications pm_content_in_desktop_notifications presence_enabled "+
		"receives_typing_notifications send_private_typing_notifications send_read_receipts "+
		"send_stream_typing_notifications starred_message_counts web_escape_navigates_to_home_view "+
		"web_inbox_show_channel_folders web_left_sidebar_show_channel_folders web_left_sidebar_unreads_count_summary "+
		"web_navigate_to_sent_message web_suggest_update_timezone wildcard_mentions_notify"),
	userFlags(false, "enable_stream_audible_notifications enable_stream_desktop_notifications "+
		"enable_stream_email_notifications enable_stream_push_notifications enter_sends fluid_layout_width "+
		"hide_ai_features high_contrast_mode left_side_userlist translate_emoticons twenty_four_hour_time"),
)

// OwnUserSettings are those for which an organization has no defaults of its own: every account starts with the same.
var OwnUserSettings = []UserSetting{
	{Name: "allow_private_data_export", Default: false},
	{Name: "default_language", Default: "en"},
	{Name: "enable_login_emails", Default: true},
	{Name: "enable_marketing_emails", Default: true},
	{Name: Timezone, Default: ""},
}

// NotificationSounds are the sounds a client can play; "none" is possible too.
var NotificationSounds = []string{
	"ascend", "beep_boop", "bink", "bright", "brlip", "chime", "deep tom", "ding", "double tap", "down", "dry bongos",
	"dutdut", "fast ascend", "flute", "friendly", "kick roll", "loud tintong", "metallic snare", "pan", "practicechat",
	"shaker", "simple", "stairs", "subtle", "swish", "tintong", "up", "wood block", "zaping", "zing", "zulip",
}

func upTo(n int) []int {
	var numbers []int
	for i := 1; i <= n; i++ {
		numbers = append(numbers, i)
	}
	return numbers
}

func userFlags(byDefault bool, names string) []UserSetting {
	var settings []UserSetting
	for name := range strings.FieldsSeq(names) {
		settings = append(settings, UserSetting{Name: name, Default: byDefault})
	}
	return settings
}

// UserDefault returns the value of one of UserSettings for new accounts.
func (o *Organization) UserDefault(s UserSetting) any {
	defaults, _ := o.UserDefaults.Get(userDefaultsID)
	return o.settingIn(defaults, s)
}

// settingIn returns the value of one of UserSettings after changes.
func (o *Organization) settingIn(changed UserDefaults, s UserSetting) any {
	if flag, ok := changed.Flags[s.Name]; ok {
		return flag
	}
	if number, ok := changed.Numbers[s.Name]; ok {
		return number
	}
	if text, ok := changed.Texts[s.Name]; ok {
		return s.wordAt(o.level(), text)
	}
	return s.Default
}

// UpdateUserDefaults changes the named defaults. Existing accounts keep their settings.
func (o *Organization) UpdateUserDefaults(change UserDefaults) error {
	if err := change.check(); err != nil {
		return err
	}
	before, _ := o.UserDefaults.Get(userDefaultsID)
	o.UserDefaults.Put(userDefaultsID, change.override(before))
	return nil
}

// check makes the checks that depend on several parameters.
func (change UserDefaults) check() error {
	const period, longest = "email_notifications_batching_period_seconds", 7 * 24 * 60 * 60
	if language, ok := change.Texts["default_language"]; ok && !slices.Contains(languages, language) {
		return Refuse("Invalid default_language")
	}
	if sound, ok := change.Texts["notification_sound"]; ok && sound != "none" && !slices.Contains(NotificationSounds, sound) {
		return Refuse("Invalid notification sound '%s'", sound)
	}
	if seconds, ok := change.Numbers[period]; ok && (seconds <= 0 || seconds > longest) {
		return Refuse("Invalid email batching period: %d seconds", seconds)
	}
	for _, name := range []string{"web_font_size_px", "web_line_height_percent"} {
		if number := change.Numbers[name]; number < 0 || number > maxSmallInteger {
			return errConflict
		}
	}
	return nil
}

// override returns a new value: before, overridden by the change.
func (change UserDefaults) override(before UserDefaults) UserDefaults {
	return UserDefaults{
		Flags:   merged(before.Flags, change.Flags),
		Numbers: merged(before.Numbers, change.Numbers),
		Texts:   merged(before.Texts, change.Texts),
	}
}

// defaultEmailVisibility is the visibility of new people's addresses.
func (o *Organization) defaultEmailVisibility() int {
	defaults, _ := o.UserDefaults.Get(userDefaultsID)
	if visibility, ok := defaults.Numbers["email_address_visibility"]; ok {
		return visibility
	}
	return EmailVisibleToAdmins
}

// merged returns a new map: before, overridden by the change.
func merged[T any](before, change map[string]T) map[string]T {
	all := map[string]T{}
	maps.Copy(all, before)
	maps.Copy(all, change)
	return all
}
