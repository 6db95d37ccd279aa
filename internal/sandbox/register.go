package sandbox

import (
	"cmp"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// registerOptions are the capabilities of a caller of POST /register.
type registerOptions struct {
	clientGravatar    bool
	includeSubscriber string
	capabilities      map[string]bool
}

// snapshotPart is one fetch type: its first feature level, and the fields it adds.
type snapshotPart struct {
	name   string
	since  int
	fields func(*request, registerOptions) fields
}

// snapshotParts lists the fetch types (server-behavior §R21). Unknown types add nothing.
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
	{"realm_linkifiers", 0, registerLinkifiers},
	{"realm_playgrounds", 0, registerPlaygrounds},
	{"realm_user_settings_defaults", 0, registerUserDefaults},
	{"custom_profile_fields", 0, registerProfileFields},
	{"user_status", 0, registerStatuses},
	{"message", 0, registerMessages},
	{"starred_messages", 0, registerStarred},
	{"user_topic", 0, registerUserTopics},
	{"drafts", 0, registerDrafts},
	{"scheduled_messages", 0, registerScheduledMessages},
	{"user_settings", 0, registerUserSettings},
	{"recent_private_conversations", 0, registerConversations},
	{"presence", 0, registerPresence},
	{"onboarding_steps", 0, registerOnboarding},
	{"realm_embedded_bots", 0, constant("realm_embedded_bots")},
	{"realm_incoming_webhook_bots", 0, constant("realm_incoming_webhook_bots")},
	{"stop_words", 0, constant("stop_words")},
	{"alert_words", 0, always("alert_words", []string{})},
	{"muted_users", 0, always("muted_users", []fields{})},
	{"saved_snippets", 0, always("saved_snippets", []fields{})},
	{"navigation_views", 390, always("navigation_views", []fields{})},
	{"reminders", 399, always("reminders", []fields{})},
	{"push_device", 406, always("push_devices", fields{})},
	{"realm_filters", 0, always("realm_filters", []any{})}, // in a form that clients no longer get
	{"realm_billing", 0, always("realm_billing", fields{"has_pending_sponsorship_request": false})},
	{"video_calls", 0, always("has_zoom_token", false)},
	{"giphy", 0, always("giphy_api_key", "")},
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
	lifespan := withDefault(r, "queue_lifespan_secs", integer, 0)
	optional(r, "presence_history_limit_days", integer)
	if err := r.checked(); err != nil {
		return nil, err
	}
	for _, term := range narrow {
		if err := checkEventNarrow(term); err != nil {
			return nil, err
		}
	}
	if lifespan < 0 {
		return nil, fmt.Errorf("a lifespan of %d seconds", lifespan) // a fault of a real server too (server-behavior §R27)
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
	answer["zulip_merge_base"] = versionAt(r.level)
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

// checkEventNarrow refuses a condition (operator and operand) that cannot filter events.
func checkEventNarrow(term []string) error {
	switch {
	case len(term) != 2:
		return fmt.Errorf("a condition of %d texts", len(term)) // no server answers this
	case !slices.Contains([]string{"channel", "stream", "topic", "sender", "is"}, term[0]):
		return rules.Refuse("Operator %s not supported.", term[0])
	case term[0] == "is" && term[1] == "followed":
		return rules.Refuse("Operand %s not supported.", term[1])
	}
	return nil
}

// isFetched reports whether a type was requested; without types, all are.
func isFetched(types *[]string, name string) bool {
	return types == nil || slices.Contains(*types, name)
}

// knownCapabilities are the client's capabilities, in the order of the checks. The first is required.
var knownCapabilities = []string{
	"notification_settings_null", "bulk_message_deletion", "user_avatar_url_field_optional", "stream_typing_notifications",
	"linkifier_url_template", "user_list_incomplete", "include_deactivated_groups", "archived_channels", "empty_topic_name",
	"simplified_presence_events", "user_settings_object",
}

// clientCapabilities reads the capabilities. It ignores unknown ones.
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

//go:embed register_constants.json
var registerConstantsJSON []byte

// registerConstants are the long fields of a snapshot that are the same for every organization, by name.
var registerConstants = func() map[string]json.RawMessage {
	var constants map[string]json.RawMessage
	if err := json.Unmarshal(registerConstantsJSON, &constants); err != nil {
		panic(fmt.Sprint("register_constants.json: ", err))
	}
	return constants
}()

// constant is a part of a snapshot with one field of registerConstants.
func constant(name string) func(*request, registerOptions) fields {
	return func(*request, registerOptions) fields { return fields{name: registerConstants[name]} }
}

// always is a part of a snapshot with one field that has the same value for every account, because the sandbox does not
// implement it.
func always(name string, value any) func(*request, registerOptions) fields {
	return func(*request, registerOptions) fields { return fields{name: value} }
}

// registerOnboarding is the onboarding_steps part of a snapshot: the hints that an account has not seen. The first hint is
// about following topics; people choose it when they sign up, bots do not.
func registerOnboarding(r *request, _ registerOptions) fields {
	answer := fields{"onboarding_steps": registerConstants["onboarding_steps"]}
	var steps []json.RawMessage
	if err := json.Unmarshal(registerConstants["onboarding_steps"], &steps); err == nil && !r.me.IsBot {
		answer["onboarding_steps"] = steps[1:]
	}
	answer["navigation_tour_video_url"] = "https://static.zulipchat.com/static/navigation-tour-video/zulip-10.mp4"
	return answer
}

// addServerConstants adds facts about the server.
func (r *request) addServerConstants(answer fields) {
	answer["development_environment"] = false
	answer["event_queue_longpoll_timeout_seconds"] = 90
	answer["server_generation"] = r.server.generation
	answer["server_needs_upgrade"] = false
	answer["upgrade_text_for_wide_organization_logo"] = "Available on Zulip Cloud Standard. Upgrade to access."
	answer["zulip_plan_is_not_limited"] = true
	answer["server_presence_ping_interval_seconds"] = 60
	answer["server_presence_offline_threshold_seconds"] = 200
	answer["server_typing_started_expiry_period_milliseconds"] = 45000
	answer["server_typing_stopped_wait_period_milliseconds"] = 12000
	answer["server_typing_started_wait_period_milliseconds"] = 30000
	answer["server_thumbnail_formats"] = registerConstants["server_thumbnail_formats"]
	answer["server_min_deactivated_realm_deletion_days"] = 14
	answer["server_max_deactivated_realm_deletion_days"] = nil
	answer["server_can_summarize_topics"] = false
}

// registerPresence is the presence part of a snapshot. The sandbox does not store presence.
func registerPresence(r *request, _ registerOptions) fields {
	answer := fields{"presences": fields{}, "server_timestamp": float64(r.server.clock().UnixMicro()) / 1e6}
	answer["presence_last_update_id"] = -1
	return answer
}

// registerUserSettings is the user_settings part of a snapshot: the settings of PATCH /settings.
func registerUserSettings(r *request, _ registerOptions) fields {
	settings := r.userSettingsObject(func(s rules.UserSetting) any { return r.org.UserSetting(r.me.ID, s) })
	return fields{"user_settings": settings}
}

// unreadMessages are the caller's unread messages by place (https://zulip.com/api/register-queue). "huddles" are the direct
// messages of three or more people.
func (r *request) unreadMessages(emptyAllowed bool) fields {
	var direct, channels, groups unreadPlaces
	mentions := []int{}
	count := 0
	for _, m := range r.org.UnreadMessages(r.me.ID) {
		muted := r.org.IsMuted(r.me.ID, m)
		if !muted {
			count++
		}
		if flags := m.FlagsFor(r.me.ID); flags&rules.FlagMentioned != 0 ||
			!muted && flags&(rules.FlagChannelWildcard|rules.FlagTopicWildcard) != 0 {
			mentions = append(mentions, m.ID)
		}
		others := slices.DeleteFunc(slices.Clone(m.People), func(id int) bool { return id == r.me.ID })
		switch {
		case !m.Direct():
			topic := shownTopic(m.Topic, emptyAllowed)
			channels.add(m.ID, unreadPlace{number: m.ChannelID, text: strings.ToLower(topic)}, fields{"stream_id": m.ChannelID, "topic": topic})
		case len(others) > 1:
			people := joinIDs(m.People)
			groups.add(m.ID, unreadPlace{text: people}, fields{"user_ids_string": people})
		default:
			other := slices.Concat(others, []int{r.me.ID})[0] // a message to oneself has no other participant
			direct.add(m.ID, unreadPlace{number: other}, fields{"other_user_id": other, "sender_id": other})
		}
	}
	return fields{
		"pms": direct.objects(), "streams": channels.objects(), "huddles": groups.objects(),
		"mentions": mentions, "count": count, "old_unreads_missing": false,
	}
}

// unreadPlace identifies and sorts the places of unread messages.
type unreadPlace struct {
	number int
	text   string
}

// unreadPlaces gathers unread messages by place.
type unreadPlaces struct {
	places  map[unreadPlace]fields
	unreads map[unreadPlace][]int
}

func (u *unreadPlaces) add(message int, at unreadPlace, object fields) {
	if u.places == nil {
		u.places, u.unreads = map[unreadPlace]fields{}, map[unreadPlace][]int{}
	}
	if _, known := u.places[at]; !known {
		u.places[at] = object
	}
	u.unreads[at] = append(u.unreads[at], message)
}

func (u *unreadPlaces) objects() []fields {
	list := []fields{}
	keys := make([]unreadPlace, 0, len(u.places))
	for at := range u.places {
		keys = append(keys, at)
	}
	slices.SortFunc(keys, func(a, b unreadPlace) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.text, b.text))
	})
	for _, at := range keys {
		object := u.places[at]
		object["unread_message_ids"] = u.unreads[at]
		list = append(list, object)
	}
	return list
}

func joinIDs(ids []int) string {
	texts := make([]string, 0, len(ids))
	for _, id := range ids {
		texts = append(texts, strconv.Itoa(id))
	}
	return strings.Join(texts, ",")
}

// mutedTopics are the caller's muted topics, for clients that do not know other visibilities.
func (r *request) mutedTopics() [][]any {
	list := [][]any{}
	for _, v := range r.org.TopicVisibilities.AsWritten() {
		if ch, ok := r.org.Channels.Get(v.ChannelID); ok && v.UserID == r.me.ID && v.Policy == rules.TopicMuted {
			list = append(list, []any{ch.Name, v.Topic, v.Updated})
		}
	}
	return list
}

// registerConversations is the part of a snapshot with the caller's direct messages: the participants and the newest
// message, newest first.
func registerConversations(r *request, _ registerOptions) fields {
	list := []fields{}
	for _, m := range r.org.NewestDirectMessages(r.me.ID) {
		others := slices.DeleteFunc(slices.Clone(m.People), func(id int) bool { return id == r.me.ID })
		list = append(list, fields{"max_message_id": m.ID, "user_ids": append([]int{}, others...)})
	}
	return fields{"recent_private_conversations": list}
}
