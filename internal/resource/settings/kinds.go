package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Flag is a bool.
type Flag struct{}

// Attribute is a bool.
func (Flag) Attribute(text SettingText) schema.Attribute {
	return schema.BoolAttribute{
		Optional: true, Computed: true, MarkdownDescription: text.Accepting(""),
		PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
	}
}

// Read accepts true or false.
func (Flag) Read(raw json.RawMessage, _ attr.Value) (attr.Value, error) {
	flag, err := read[bool](raw)
	return types.BoolPointerValue(flag), err
}

// Send sends it as JSON.
func (Flag) Send(form *zulip.Form, name string, value attr.Value) {
	if flag, ok := value.(types.Bool); ok {
		form.JSON(name, flag.ValueBool())
	}
}

// Number is a whole number in a range, including both ends.
type Number struct{ Min, Max int64 }

// Attribute is a number.
func (k Number) Attribute(text SettingText) schema.Attribute {
	return schema.Int64Attribute{
		Optional: true, Computed: true, MarkdownDescription: text.Accepting(fmt.Sprintf("From %d to %d.", k.Min, k.Max)),
		Validators:    []validator.Int64{validators.Between(k.Min, k.Max)},
		PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
}

// Read takes any number.
func (Number) Read(raw json.RawMessage, _ attr.Value) (attr.Value, error) {
	number, err := read[int64](raw)
	return types.Int64PointerValue(number), err
}

// Send sends it as JSON.
func (Number) Send(form *zulip.Form, name string, value attr.Value) {
	if number, ok := value.(types.Int64); ok {
		form.JSON(name, number.ValueInt64())
	}
}

// Text is a text with a maximum length; zero means no limit.
type Text struct {
	MaxLength int
	// Rule says which texts are allowed. Optional.
	Rule validator.String
}

// Attribute is a string.
func (k Text) Attribute(text SettingText) schema.Attribute {
	if k.MaxLength == 0 {
		attribute := textAttribute(text.Accepting(""))
		if k.Rule != nil {
			attribute.Validators = []validator.String{k.Rule}
		}
		return attribute
	}
	attribute := textAttribute(text.Accepting(fmt.Sprintf("At most %d characters.", k.MaxLength)))
	attribute.Validators = []validator.String{validators.Length(0, k.MaxLength)}
	return attribute
}

// Read takes any text.
func (Text) Read(raw json.RawMessage, _ attr.Value) (attr.Value, error) {
	text, err := read[string](raw)
	return types.StringPointerValue(text), err
}

// Send sends it as it is.
func (Text) Send(form *zulip.Form, name string, value attr.Value) {
	if text, ok := value.(types.String); ok {
		form.Text(name, text.ValueString())
	}
}

// Word is one of some words, which the server also uses: `Word{"always", "never"}`. Unknown words of the server are
// unchanged.
type Word []string

// Attribute is a string.
func (k Word) Attribute(text SettingText) schema.Attribute {
	return wordAttribute(text, k, "")
}

// Read takes any word.
func (Word) Read(raw json.RawMessage, kept attr.Value) (attr.Value, error) {
	return Text{}.Read(raw, kept)
}

// Send sends it as it is.
func (Word) Send(form *zulip.Form, name string, value attr.Value) {
	Text{}.Send(form, name, value)
}

// Coded is one of some words, for each of which the server has a number. Unknown numbers of the server are read as
// digits.
type Coded []Code

// Code is a word, and the number for it.
type Code struct {
	Word   string
	Number int
	// FeatureLevel is the first at which the server has it, if that is later than the setting. [WithLevels] sets it.
	FeatureLevel int
}

// Attribute is a string.
func (k Coded) Attribute(text SettingText) schema.Attribute {
	words, newer := make([]string, len(k)), ""
	for i, code := range k {
		words[i] = code.Word
		if code.FeatureLevel > 0 {
			newer += fmt.Sprintf(" %#q requires %s.", code.Word, featurelevel.Describe(code.FeatureLevel))
		}
	}
	return wordAttribute(text, words, newer)
}

// Read takes any number.
func (k Coded) Read(raw json.RawMessage, _ attr.Value) (attr.Value, error) {
	number, err := read[int](raw)
	if number == nil {
		return types.StringNull(), err
	}
	for _, code := range k {
		if code.Number == *number {
			return types.StringValue(code.Word), nil
		}
	}
	return types.StringValue(strconv.Itoa(*number)), nil
}

// Send sends the number as JSON.
func (k Coded) Send(form *zulip.Form, name string, value attr.Value) {
	if code, ok := k.of(value); ok {
		form.JSON(name, code.Number)
	}
}

func (k Coded) of(value attr.Value) (Code, bool) {
	text, _ := value.(types.String)
	for _, code := range k {
		if code.Word == text.ValueString() {
			return code, true
		}
	}
	return Code{}, false
}

func textAttribute(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Computed: true, MarkdownDescription: description,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

func wordAttribute(text SettingText, words []string, newer string) schema.StringAttribute {
	attribute := textAttribute(text.Accepting("One of `" + strings.Join(words, "`, `") + "`." + newer))
	attribute.Validators = []validator.String{validators.OneOf(words...)}
	return attribute
}

// read decodes the server's value; nil if it is null, or the server has no such setting.
func read[T any](raw json.RawMessage) (*T, error) {
	if raw == nil {
		return nil, nil
	}
	var value *T
	err := json.Unmarshal(raw, &value)
	return value, err
}

// Personal returns the personal settings for which an organization has defaults
// (https://zulip.com/api/update-realm-user-settings-defaults), with the levels of a resource or action, grouped by
// subject. If the server has numbers, the words are its names for them.
func Personal(of string) Table {
	return WithLevels(of, Table{
		// How Zulip looks.
		{Name: "color_scheme", Kind: Coded{{Word: "automatic", Number: 1}, {Word: "dark", Number: 2}, {Word: "light", Number: 3}},
			Description: "Theme; `automatic` follows the device.", Default: "`automatic`"},
		{Name: "emojiset", Kind: Word{"google", "twitter", "text"},
			Description: "Emoji theme; `text` shows the names of emoji instead of pictures.", Default: "`google`"},
		{Name: "fluid_layout_width", Kind: Flag{},
			Description: "If true, the web app uses the full width of wide screens.", Default: "`false`"},
		{Name: "high_contrast_mode", Kind: Flag{},
			Description: "If true, high contrast is on. The web app no longer shows this setting.", Default: "`false`"},
		{Name: "twenty_four_hour_time", Kind: Flag{},
			Description: "If true, times are shown on a 24-hour clock (17:00) instead of a 12-hour clock (5:00 PM).", Default: "`false`"},
		{Name: "user_list_style",
			Kind:        Coded{{Word: "compact", Number: 1}, {Word: "with_status", Number: 2}, {Word: "with_avatar", Number: 3}},
			Description: "Content of the user list: names and status emoji, also the status text, or also the profile picture.", Default: "`with_avatar`"},
		{Name: "left_side_userlist", Kind: Flag{},
			Description: "If true, the user list is on the left in narrow windows. The web app no longer shows this setting.", Default: "`false`"},
		{Name: "web_font_size_px", Kind: Number{Min: 1, Max: maxSmallNumber},
			Description: "Font size of the web app, in pixels.", Default: "16"},
		{Name: "web_line_height_percent", Kind: Number{Min: 1, Max: maxSmallNumber},
			Description: "Line height of the web app, in percent of the font size.", Default: "140"},
		{Name: "web_animate_image_previews", Kind: Word{"always", "on_hover", "never"},
			Description: "Time at which animated images play; `never` plays them only in the image viewer.", Default: "`on_hover`"},
		{Name: "translate_emoticons", Kind: Flag{},
			Description: "If true, emoticons such as `:)` are converted to emoji.", Default: "`false`"},
		{Name: "display_emoji_reaction_users", Kind: Flag{},
			Description: "If true, a message with few reactions shows the names of the people who reacted.", Default: "`true`"},
		{Name: "hide_ai_features", Kind: Flag{},
			Description: "If true, AI features are hidden.", Default: "`false`"},

		// Navigation and lists.
		{Name: "web_home_view", Kind: Word{"recent", "recent_topics", "inbox", "all_messages"}, Synonyms: homeViews,
			Default: "`inbox`", Description: fmt.Sprintf("Home view of the web app. %#q and %#q mean the same and work on every server; the name changed at feature level %d.", homeViews.Old, homeViews.New, homeViews.Level)},
		{Name: "web_escape_navigates_to_home_view", Kind: Flag{},
			Description: "If true, the Escape key goes to the home view (`web_home_view`).", Default: "`true`"},
		{Name: "web_channel_default_view",
			Kind: Coded{{Word: "first_topic", Number: 1}, {Word: "channel_feed", Number: 2},
				{Word: "list_of_topics", Number: 3}, {Word: "top_unread_topic", Number: 4}},
			Description: "View that a click on a channel in the left sidebar opens.", Default: "`first_topic`"},
		{Name: "web_navigate_to_sent_message", Kind: Flag{},
			Description: "If true, the web app goes to the conversation where a message was just sent.", Default: "`true`"},
		{Name: "web_mark_read_on_scroll_policy",
			Kind:        Coded{{Word: "always", Number: 1}, {Word: "conversation_only", Number: 2}, {Word: "never", Number: 3}},
			Description: "Rule for marking messages as read on scrolling; `conversation_only` excludes views with several conversations.", Default: "`always`"},
		{Name: "web_stream_unreads_count_display_policy",
			Kind:        Coded{{Word: "all_streams", Number: 1}, {Word: "unmuted_streams", Number: 2}, {Word: "no_streams", Number: 3}},
			Description: "Channels for which the left sidebar shows unread counts.", Default: "`unmuted_streams`"},
		{Name: "web_left_sidebar_unreads_count_summary", Kind: Flag{},
			Description: "If true, the left sidebar shows the total unread count at the home view.", Default: "`true`"},
		{Name: "web_left_sidebar_show_channel_folders", Kind: Flag{},
			Description: "If true, the left sidebar groups channels by folder.", Default: "`true`"},
		{Name: "web_inbox_show_channel_folders", Kind: Flag{},
			Description: "If true, the inbox groups channels by folder.", Default: "`true`"},
		{Name: "demote_inactive_streams",
			Kind:        Coded{{Word: "automatic", Number: 1}, {Word: "always", Number: 2}, {Word: "never", Number: 3}},
			Description: "Rule for moving inactive channels to the end of the list; `automatic` moves them only for people with many channels.", Default: "`automatic`"},
		{Name: "starred_message_counts", Kind: Flag{},
			Description: "If true, the number of starred messages is shown.", Default: "`true`"},
		{Name: "web_suggest_update_timezone", Kind: Flag{},
			Description: "If true, the web app offers to change the time zone to the computer's.", Default: "`true`"},

		// Topics.
		{Name: "automatically_follow_topics_policy", Kind: topicPolicy,
			Description: "Topics that are followed automatically: topics the person takes any part in, sends a message to, or starts, or none.", Default: "`initiation`"},
		{Name: "automatically_unmute_topics_in_muted_streams_policy", Kind: topicPolicy,
			Description: "Topics in muted channels that are unmuted automatically: topics the person takes any part in, sends a message to, or starts, or none.", Default: "`send`"},
		{Name: "automatically_follow_topics_where_mentioned", Kind: Flag{},
			Description: "If true, topics in which the person is mentioned are followed automatically.", Default: "`true`"},
		{Name: "resolved_topic_notice_auto_read_policy", Kind: Word{"always", "except_followed", "never"},
			Description: "Topics in which the notice that a topic was resolved is marked as read automatically; `except_followed` excludes followed topics.", Default: "`except_followed`"},

		// Writing, and its visibility to others.
		{Name: "enter_sends", Kind: Flag{},
			Description: "If true, the Enter key sends a message.", Default: "`false`"},
		{Name: "enable_drafts_synchronization", Kind: Flag{},
			Description: "If true, drafts are stored on the server and available on every device.", Default: "`true`"},
		{Name: "send_stream_typing_notifications", Kind: Flag{},
			Description: "If true, others see when the person is typing a channel message.", Default: "`true`"},
		{Name: "send_private_typing_notifications", Kind: Flag{},
			Description: "If true, others see when the person is typing a direct message.", Default: "`true`"},
		{Name: "receives_typing_notifications", Kind: Flag{},
			Description: "If true, the person sees when others are typing.", Default: "`true`"},
		{Name: "send_read_receipts", Kind: Flag{},
			Description: "If true, others see which messages the person has read.", Default: "`true`"},
		{Name: "presence_enabled", Kind: Flag{},
			Description: "If true, others see when the person is available.", Default: "`true`"},
		{Name: "email_address_visibility",
			Kind: Coded{{Word: "everyone", Number: 1}, {Word: "members", Number: 2}, {Word: "moderators", Number: 5},
				{Word: "administrators", Number: 3}, {Word: "nobody", Number: 4}},
			Description: "Role required to see the person's email address; each role includes the roles above it. The initial value depends on `org_type`, most often `administrators`."},

		// Notifications on the device.
		{Name: "enable_stream_desktop_notifications", Kind: Flag{}, Description: "If true, channel messages trigger visual desktop notifications.", Default: "`false`"},
		{Name: "enable_stream_audible_notifications", Kind: Flag{}, Description: "If true, channel messages trigger audible desktop notifications.", Default: "`false`"},
		{Name: "enable_stream_push_notifications", Kind: Flag{}, Description: "If true, channel messages trigger mobile notifications.", Default: "`false`"},
		{Name: "enable_stream_email_notifications", Kind: Flag{}, Description: "If true, channel messages trigger email notifications.", Default: "`false`"},
		{Name: "enable_followed_topic_desktop_notifications", Kind: Flag{}, Description: "If true, messages in followed topics trigger visual desktop notifications.", Default: "`true`"},
		{Name: "enable_followed_topic_audible_notifications", Kind: Flag{}, Description: "If true, messages in followed topics trigger audible desktop notifications.", Default: "`true`"},
		{Name: "enable_followed_topic_push_notifications", Kind: Flag{}, Description: "If true, messages in followed topics trigger mobile notifications.", Default: "`true`"},
		{Name: "enable_followed_topic_email_notifications", Kind: Flag{}, Description: "If true, messages in followed topics trigger email notifications.", Default: "`true`"},
		{Name: "enable_followed_topic_wildcard_mentions_notify", Kind: Flag{}, Description: "If true, wildcard mentions such as `@all` in followed topics notify like a mention of the person.", Default: "`true`"},
		{Name: "wildcard_mentions_notify", Kind: Flag{}, Description: "If true, wildcard mentions such as `@all` notify like a mention of the person.", Default: "`true`"},
		{Name: "enable_desktop_notifications", Kind: Flag{}, Description: "If true, direct messages and mentions trigger visual desktop notifications.", Default: "`true`"},
		{Name: "enable_sounds", Kind: Flag{}, Description: "If true, direct messages and mentions trigger audible desktop notifications.", Default: "`true`"},
		{Name: "enable_offline_push_notifications", Kind: Flag{}, Description: "If true, direct messages and mentions trigger mobile notifications while the person is offline.", Default: "`true`"},
		{Name: "enable_online_push_notifications", Kind: Flag{}, Description: "If true, mobile notifications are also sent while the person is online.", Default: "`true`"},
		{Name: "enable_offline_email_notifications", Kind: Flag{}, Description: "If true, direct messages and mentions trigger email notifications while the person is offline.", Default: "`true`"},
		{Name: "notification_sound", Kind: Text{},
			Description: "Notification sound, by its name in the web app's settings, such as `zulip` or `ding`; `none` is silent.", Default: "`zulip`"},
		{Name: "pm_content_in_desktop_notifications", Kind: Flag{}, Description: "If true, desktop notifications show the content of direct messages.", Default: "`true`"},
		{Name: "desktop_icon_count_display",
			Kind: Coded{{Word: "messages", Number: 1}, {Word: "dm_mention_followed_topic", Number: 2},
				{Word: "dm_mention", Number: 3}, {Word: "none", Number: 4}},
			Description: "Messages that the unread badge of the desktop app counts: all unread messages; direct messages, mentions, and followed topics; direct messages and mentions; or none.", Default: "`messages`"},

		// Email.
		{Name: "enable_digest_emails", Kind: Flag{}, Description: "If true, a digest is sent by email while the person is away.", Default: "`true`"},
		{Name: "email_notifications_batching_period_seconds", Kind: Number{Min: 1, Max: 7 * 24 * 60 * 60},
			Description: "Delay in seconds before an email notification is sent, which collects further messages.", Default: "120"},
		{Name: "message_content_in_email_notifications", Kind: Flag{}, Description: "If true, email notifications include the content of messages.", Default: "`true`"},
		{Name: "realm_name_in_email_notifications_policy",
			Kind:        Coded{{Word: "automatic", Number: 1}, {Word: "always", Number: 2}, {Word: "never", Number: 3}},
			Description: "Rule for including the organization's name in the subject of email notifications; `automatic` includes it for people who are in several organizations.", Default: "`automatic`"},
	})
}

// maxSmallNumber is the maximum number in the server's database.
const maxSmallNumber = 32767

// homeViews are the words for the list of recent conversations.
var homeViews = Synonyms{Old: "recent_topics", New: "recent", Level: featurelevel.HomeViewRecent}

// topicPolicy is the action in a topic that has a certain effect.
var topicPolicy = Coded{
	{Word: "participation", Number: 1}, {Word: "send", Number: 2}, {Word: "initiation", Number: 3}, {Word: "never", Number: 4},
}

// CheckSound refuses a sound that the server does not have. The server lists its sounds with the settings of new
// accounts.
func (s Table) CheckSound(ctx context.Context, plan Values, b *base.Base, diags *diag.Diagnostics) {
	const attribute, silence = "notification_sound", "none"
	text, _ := plan[attribute].(types.String)
	if !slices.ContainsFunc(s, func(s Setting) bool { return s.Name == attribute }) || !base.IsSet(text) || text.ValueString() == silence {
		return
	}
	view, err := b.Meta.Store.Read(ctx, store.UserDefaults)
	if err != nil {
		diags.AddError("Cannot read the default user settings", base.Explain(err))
		return
	}
	var sounds []string
	if err := json.Unmarshal(view.UserDefaults()["available_notification_sounds"], &sounds); err != nil {
		return // the server does not return its sounds
	}
	if !slices.Contains(sounds, text.ValueString()) {
		diags.AddAttributeError(path.Root(attribute), "No such sound",
			fmt.Sprintf("The server has no sound %q. It has %s, and %s.", text.ValueString(), strings.Join(sounds, ", "), silence))
	}
}
