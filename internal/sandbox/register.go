package sandbox

import (
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// registerOptions are what a caller of POST /register says it can take.
type registerOptions struct {
	clientGravatar    bool
	includeSubscriber string
	capabilities      map[string]bool
}

// snapshotPart is one fetch type: from which feature level it exists, and the
// fields it adds.
type snapshotPart struct {
	name   string
	since  int
	fields func(*request, registerOptions) fields
}

// snapshotParts lists the fetch types (server-behavior §R21). What is not in the list
// adds nothing, as any unknown type.
var snapshotParts = []snapshotPart{
	{"realm_user", 0, registerUsers},
	{"realm_user_groups", 0, registerUserGroups},
	{"stream", 0, registerChannels},
	{"default_streams", 0, registerDefaultChannels},
	{"default_stream_groups", 0, registerDefaultChannelGroups},
	{"channel_folders", featurelevel.Since("zulip_channel", "folder_id"), registerFolders},
	{"subscription", 0, registerSubscriptions},
	{"realm", 0, registerRealm},
	{"realm_bot", 0, registerBots},
	{"realm_domains", 0, registerDomains},
	{"realm_emoji", 0, registerEmoji},
	{"realm_linkifiers", 54, registerLinkifiers},
	{"realm_playgrounds", 49, registerPlaygrounds},
	{"realm_user_settings_defaults", 95, registerUserDefaults},
	{"custom_profile_fields", 0, registerProfileFields},
	{"user_status", 0, registerStatuses},
	{"message", 0, registerMessages},
	{"starred_messages", 0, registerStarred},
	{"user_topic", 134, registerUserTopics},
	{"drafts", 87, registerDrafts},
	{"scheduled_messages", 179, registerScheduledMessages},
	{"user_settings", 89, registerUserSettings},
	{"recent_private_conversations", 0, registerConversations},
	{"presence", 0, registerPresence},
	{"onboarding_steps", 233, registerOnboarding},
	{"realm_embedded_bots", 0, constant("realm_embedded_bots")},
	{"realm_incoming_webhook_bots", 207, constant("realm_incoming_webhook_bots")},
	{"stop_words", 0, constant("stop_words")},
	{"alert_words", 0, always("alert_words", []string{})},
	{"muted_users", 48, always("muted_users", []fields{})},
	{"saved_snippets", 297, always("saved_snippets", []fields{})},
	{"navigation_views", 390, always("navigation_views", []fields{})},
	{"reminders", 399, always("reminders", []fields{})},
	{"push_device", 406, always("push_devices", fields{})},
	{"realm_filters", 0, always("realm_filters", []any{})}, // of a form that clients no longer get
	{"realm_billing", 363, always("realm_billing", fields{"has_pending_sponsorship_request": false})},
	{"video_calls", 0, always("has_zoom_token", false)},
	{"giphy", 47, always("giphy_api_key", "")},
	{"tenor", 442, always("tenor_api_key", "")},
}

// register takes a snapshot of the organization and allocates an event queue.
func register(r *request) (fields, error) {
	options := registerOptions{clientGravatar: true}
	markdown := withDefault(r, "apply_markdown", boolean, false)
	if wish := optional(r, "client_gravatar", jsonOf(orNull(parseBoolean))); wish != nil && *wish != nil {
		options.clientGravatar = **wish
	}
	optional(r, "slim_presence", boolean)
	allPublic := withDefault(r, "all_public_streams", boolean, false)
	options.includeSubscriber = withDefault(r, "include_subscribers", oneOf("true", "false", "partial"), "false")
	capabilities := optional(r, "client_capabilities", jsonOf(clientCapabilities))
	eventTypes := optional(r, "event_types", texts)
	fetchTypes := optional(r, "fetch_event_types", texts)
	narrow := withDefault(r, "narrow", jsonOf(listOf(listOf(parseString))), nil)
	optional(r, "queue_lifespan_secs", integer)
	optional(r, "presence_history_limit_days", integer)
	if err := r.checked(); err != nil {
		return nil, err
	}
	for _, term := range narrow {
		if err := checkEventNarrow(term); err != nil {
			return nil, err
		}
	}
	if capabilities != nil {
		options.capabilities = *capabilities
	}
	if fetchTypes == nil {
		fetchTypes = eventTypes
	}

	answer := fields{
		"queue_id": r.server.queues.open(eventQueue{
			user: r.me.ID, used: r.server.clock(), seen: r.newestMessage(),
			messages: isFetched(eventTypes, "message"), filtered: allPublic || len(narrow) > 0,
			view: messageView{markdown: markdown, emptyTopics: options.capabilities["empty_topic_name"], clientGravatar: options.clientGravatar},
		}),
		"last_event_id":       -1,
		"zulip_version":       versionAt(r.level),
		"zulip_feature_level": r.level,
	}
	r.add(answer, 88, "zulip_merge_base", versionAt(r.level))
	for _, part := range snapshotParts {
		if r.level < part.since || !isFetched(fetchTypes, part.name) {
			continue
		}
		for name, value := range part.fields(r, options) {
			answer[name] = value
		}
	}
	if isFetched(fetchTypes, "message") && isFetched(fetchTypes, "update_message_flags") {
		answer["unread_msgs"] = r.unreadMessages(options.capabilities["empty_topic_name"])
	}
	if fetchTypes == nil || isFetched(fetchTypes, "muted_topics") && !isFetched(fetchTypes, "user_topic") {
		answer["muted_topics"] = r.mutedTopics()
	}
	return answer, nil
}

// checkEventNarrow refuses a condition, operator and operand, by which events cannot be told apart.
func checkEventNarrow(term []string) error {
	switch {
	case len(term) != 2:
		return fmt.Errorf("a condition of %d texts", len(term)) // which no server answers
	case !slices.Contains([]string{"channel", "stream", "topic", "sender", "is"}, term[0]):
		return rules.Refuse("Operator %s not supported.", term[0])
	case term[0] == "is" && term[1] == "followed":
		return rules.Refuse("Operand %s not supported.", term[1])
	}
	return nil
}

// isFetched reports whether a type was asked for; who names no types gets all.
func isFetched(types *[]string, name string) bool {
	return types == nil || slices.Contains(*types, name)
}

// knownCapabilities are what a client may say of itself, in the order in which it is checked. The first has to be there.
var knownCapabilities = []string{
	"notification_settings_null", "bulk_message_deletion", "user_avatar_url_field_optional", "stream_typing_notifications",
	"linkifier_url_template", "user_list_incomplete", "include_deactivated_groups", "archived_channels", "empty_topic_name",
	"simplified_presence_events", "user_settings_object",
}

// clientCapabilities reads the capabilities. Those that the server does not know do not matter.
func clientCapabilities(value any, path string) (map[string]bool, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, rules.Refuse("%s is not a dict", path)
	}
	if _, ok := object[knownCapabilities[0]]; !ok {
		_, err := member(object, path, knownCapabilities[0], parseBoolean)
		return nil, err
	}
	capabilities := map[string]bool{}
	for _, name := range knownCapabilities {
		able, err := optionalMember(object, path, name, false, parseBoolean)
		if err != nil {
			return nil, err
		}
		capabilities[name] = able != nil && *able
	}
	return capabilities, nil
}

// newUUID returns a random UUID (RFC 9562).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
