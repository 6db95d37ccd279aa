package sandbox

import (
	"crypto/rand"
	"fmt"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/organization"
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
}

// register takes a snapshot of the organization and allocates an event queue.
func register(r *request) (fields, error) {
	options := registerOptions{clientGravatar: true}
	optional(r, "apply_markdown", boolean)
	if wish := optional(r, "client_gravatar", jsonOf(orNull(parseBoolean))); wish != nil && *wish != nil {
		options.clientGravatar = **wish
	}
	optional(r, "slim_presence", boolean)
	optional(r, "all_public_streams", boolean)
	options.includeSubscriber = withDefault(r, "include_subscribers", oneOf("true", "false", "partial"), "false")
	capabilities := optional(r, "client_capabilities", jsonOf(clientCapabilities))
	eventTypes := optional(r, "event_types", jsonOf(orNull(listOf(parseString))))
	fetchTypes := optional(r, "fetch_event_types", jsonOf(orNull(listOf(parseString))))
	optional(r, "narrow", jsonOf(listOf(parseAny)))
	optional(r, "queue_lifespan_secs", integer)
	optional(r, "presence_history_limit_days", integer)
	if err := r.checked(); err != nil {
		return nil, err
	}
	if capabilities != nil {
		options.capabilities = *capabilities
	}
	if fetchTypes == nil || *fetchTypes == nil {
		fetchTypes = eventTypes
	}

	answer := fields{
		"queue_id":            r.server.queues.open(r.me.ID, r.server.clock()),
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
	return answer, nil
}

// isFetched reports whether a type was asked for; who names no types gets all.
func isFetched(types **[]string, name string) bool {
	if types == nil || *types == nil {
		return true
	}
	for _, t := range **types {
		if t == name {
			return true
		}
	}
	return false
}

// clientCapabilities reads the capabilities: one of them is mandatory, and
// unknown ones do not matter.
func clientCapabilities(value any, path string) (map[string]bool, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, organization.Refuse("%s does not have the expected format", path)
	}
	if _, err := member(object, path, "notification_settings_null", parseBoolean); err != nil {
		return nil, err
	}
	capabilities := map[string]bool{}
	for name := range object {
		able, err := member(object, path, name, parseBoolean)
		if err != nil {
			continue
		}
		capabilities[name] = able
	}
	return capabilities, nil
}

func parseAny(value any, _ string) (any, error) { return value, nil }

// queueLife is how long an event queue stays when nobody asks for it.
const queueLife = 10 * time.Minute

// eventQueues are the queues allocated by register. They carry no events, and
// as on a real server they do not survive a restart.
type eventQueues map[string]eventQueue

type eventQueue struct {
	user   int
	opened time.Time
}

func (q eventQueues) open(user int, now time.Time) string {
	for id, queue := range q {
		if now.Sub(queue.opened) >= queueLife {
			delete(q, id)
		}
	}
	id := "queue-" + rand.Text()
	q[id] = eventQueue{user, now}
	return id
}

// deleteEvents is DELETE /events: the caller's own queue goes.
func deleteEvents(r *request) (fields, error) {
	id := required(r, "queue_id", text())
	if err := r.checked(); err != nil {
		return nil, err
	}
	if queue, ok := r.server.queues[id]; !ok || queue.user != r.me.ID {
		return nil, &organization.Error{
			Code:  "BAD_EVENT_QUEUE_ID",
			Msg:   fmt.Sprintf("Bad event queue ID: %s", id),
			Extra: fields{"queue_id": id},
		}
	}
	delete(r.server.queues, id)
	return nil, nil
}
