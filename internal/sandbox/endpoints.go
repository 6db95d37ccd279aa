package sandbox

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// endpoints are all endpoints of the server. Endpoints of one path are next to each other, in the order of allowed_methods.
// If two paths match, the first counts.
var endpoints = []endpoint{
	{method: "GET", path: "/server_settings", guard: open, handle: serverSettings, isPage: true},
	{method: "POST", path: "/fetch_api_key", guard: open, handle: fetchAPIKey},

	{method: "POST", path: "/register", guard: anyUser, handle: register},
	{method: "GET", path: "/events", guard: anyUser, handle: getEvents, queues: true},
	{method: "DELETE", path: "/events", guard: anyUser, handle: deleteEvents, queues: true},

	// People.
	{method: "GET", path: "/users", guard: anyUser, handle: listUsers},
	{method: "POST", path: "/users", guard: admin, handle: createUser},
	{method: "GET", path: "/users/me", guard: anyUser, handle: getOwnUser, silent: true},
	{method: "DELETE", path: "/users/me", guard: human, handle: deactivateSelf, silent: true},
	{method: "POST", path: "/users/me/api_key/regenerate", guard: anyUser, handle: regenerateOwnKey},
	{method: "PATCH", path: "/users/me/profile_data", guard: human, handle: setOwnProfileData},
	{method: "DELETE", path: "/users/me/profile_data", guard: human, handle: removeOwnProfileData},
	{method: "POST", path: "/users/me/avatar", guard: anyUser, handle: uploadOwnAvatar},
	{method: "DELETE", path: "/users/me/avatar", guard: anyUser, handle: removeOwnAvatar},
	{method: "POST", path: "/users/me/status", guard: human, handle: setOwnStatus},
	{method: "POST", path: "/users/{user_id:int}/reactivate", guard: anyUser, handle: reactivateUser, silent: true},
	{method: "GET", path: "/users/{user_id:int}/status", guard: anyUser, handle: getStatus, silent: true},
	{method: "POST", path: "/users/{user_id:int}/status", guard: human, bots: featurelevel.StatusByBots, since: featurelevel.StatusOfOthers, handle: setStatus},
	{method: "GET", path: "/users/{user_id:int}", guard: anyUser, handle: getUser},
	{method: "PATCH", path: "/users/{user_id:int}", guard: anyUser, handle: updateUser},
	{method: "DELETE", path: "/users/{user_id:int}", guard: anyUser, handle: deactivateUser},
	{method: "GET", path: "/users/{email}", guard: anyUser, handle: getUser},
	{method: "PATCH", path: "/users/{email}", guard: anyUser, handle: updateUser},

	{method: "PATCH", path: "/settings", guard: human, handle: updateSettings},

	// Bots.
	{method: "GET", path: "/bots", guard: humanNonGuest, handle: listBots, silent: true},
	{method: "POST", path: "/bots", guard: humanNonGuest, handle: createBot},
	{method: "GET", path: "/bots/{bot_id:int}/api_key", guard: humanNonGuest, since: featurelevel.BotAPIKey, handle: getBotKey},
	{method: "POST", path: "/bots/{bot_id:int}/api_key/regenerate", guard: humanNonGuest, handle: regenerateBotKey},
	{method: "PATCH", path: "/bots/{bot_id:int}", guard: humanNonGuest, handle: updateBot},
	{method: "DELETE", path: "/bots/{bot_id:int}", guard: anyUser, handle: deactivateBot, silent: true},

	// Invitations.
	{method: "GET", path: "/invites", guard: humanNonGuest, handle: listInvites, silent: true},
	{method: "POST", path: "/invites", guard: humanNonGuest, handle: invite},
	{method: "DELETE", path: "/invites/{invite_id:int}", guard: humanNonGuest, handle: revokeInvite},
	{method: "POST", path: "/invites/{invite_id:int}/resend", guard: humanNonGuest, handle: resendInvite},
	{method: "POST", path: "/invites/multiuse", guard: humanNonGuest, handle: createInviteLink},
	{method: "DELETE", path: "/invites/multiuse/{invite_id:int}", guard: humanNonGuest, handle: revokeInviteLink},

	// The organization.
	{method: "PATCH", path: "/realm", guard: admin, handle: updateRealm},
	{method: "PATCH", path: "/realm/user_settings_defaults", guard: admin, handle: updateUserDefaults},
	{method: "POST", path: "/realm/icon", guard: admin, handle: uploadIcon},
	{method: "DELETE", path: "/realm/icon", guard: admin, handle: removeIcon},
	{method: "GET", path: "/realm/icon", guard: anyUser, handle: showIcon},
	{method: "POST", path: "/realm/logo", guard: admin, handle: uploadLogo},
	{method: "DELETE", path: "/realm/logo", guard: admin, handle: removeLogo},
	{method: "GET", path: "/realm/logo", guard: anyUser, handle: showLogo},
	{method: "POST", path: "/export/realm", guard: admin, handle: startExport},
	{method: "GET", path: "/export/realm", guard: admin, handle: listExports, silent: true},
	{method: "GET", path: "/export/realm/consents", guard: admin, handle: listExportConsents, silent: true},
	{method: "DELETE", path: "/export/realm/{export_id:int}", guard: admin, handle: deleteExport, silent: true},
	{method: "GET", path: "/realm/linkifiers", guard: anyUser, handle: listLinkifiers, silent: true},
	{method: "PATCH", path: "/realm/linkifiers", guard: admin, handle: orderLinkifiers},
	{method: "POST", path: "/realm/filters", guard: admin, handle: createLinkifier},
	{method: "PATCH", path: "/realm/filters/{filter_id:int}", guard: admin, handle: updateLinkifier},
	{method: "DELETE", path: "/realm/filters/{filter_id:int}", guard: admin, handle: deleteLinkifier, silent: true},
	{method: "POST", path: "/realm/playgrounds", guard: admin, handle: addPlayground},
	{method: "DELETE", path: "/realm/playgrounds/{playground_id:int}", guard: admin, handle: deletePlayground},
	{method: "GET", path: "/realm/profile_fields", guard: anyUser, handle: listProfileFields, silent: true},
	{method: "PATCH", path: "/realm/profile_fields", guard: admin, handle: orderProfileFields},
	{method: "POST", path: "/realm/profile_fields", guard: admin, handle: createProfileField},
	{method: "PATCH", path: "/realm/profile_fields/{field_id:int}", guard: admin, handle: updateProfileField},
	{method: "DELETE", path: "/realm/profile_fields/{field_id:int}", guard: admin, handle: deleteProfileField, silent: true},
	{method: "GET", path: "/realm/domains", guard: anyUser, handle: listDomains, silent: true},
	{method: "POST", path: "/realm/domains", guard: owner, handle: addDomain},
	{method: "PATCH", path: "/realm/domains/{domain}", guard: owner, handle: updateDomain},
	{method: "DELETE", path: "/realm/domains/{domain}", guard: owner, handle: deleteDomain},
	{method: "GET", path: "/realm/emoji", guard: anyUser, handle: listEmoji, silent: true},
	{method: "POST", path: "/realm/emoji/{emoji_name}", guard: humanNonGuest, handle: uploadEmoji},
	{method: "DELETE", path: "/realm/emoji/{emoji_name}", guard: anyUser, handle: deleteEmoji, silent: true},

	// Channels.
	{method: "GET", path: "/streams", guard: anyUser, handle: listChannels},
	{method: "GET", path: "/get_stream_id", guard: anyUser, handle: getChannelID},
	{method: "POST", path: "/channels/create", guard: nonGuest, since: featurelevel.CreateChannel, handle: createChannel},
	{method: "GET", path: "/streams/{stream_id:int}", guard: anyUser, handle: getChannel},
	{method: "PATCH", path: "/streams/{stream_id:int}", guard: anyUser, handle: updateChannel},
	{method: "DELETE", path: "/streams/{stream_id:int}", guard: anyUser, handle: archiveChannel},
	{method: "GET", path: "/streams/{stream_id:int}/members", guard: anyUser, handle: getSubscribers},
	{method: "GET", path: "/users/me/{stream_id:int}/topics", guard: anyUser, handle: getTopics},

	// Subscriptions.
	{method: "GET", path: "/users/me/subscriptions", guard: anyUser, handle: listSubscriptions},
	{method: "POST", path: "/users/me/subscriptions", guard: nonGuest, handle: subscribe},
	{method: "PATCH", path: "/users/me/subscriptions", guard: anyUser, handle: updateSubscriptions},
	{method: "DELETE", path: "/users/me/subscriptions", guard: anyUser, handle: unsubscribe},
	{method: "POST", path: "/users/me/subscriptions/properties", guard: anyUser, handle: setSubscriptionProperties},
	{method: "PATCH", path: "/users/me/subscriptions/{stream_id:int}", guard: anyUser, handle: setSubscriptionProperty},
	{method: "GET", path: "/users/{user_id:int}/subscriptions/{stream_id:int}", guard: anyUser, handle: isSubscribed},

	// Default channels and their groups.
	{method: "POST", path: "/default_streams", guard: admin, handle: addDefaultChannel},
	{method: "DELETE", path: "/default_streams", guard: admin, handle: removeDefaultChannel},
	{method: "POST", path: "/default_stream_groups/create", guard: admin, handle: createDefaultChannelGroup},
	{method: "PATCH", path: "/default_stream_groups/{group_id:int}", guard: admin, handle: updateDefaultChannelGroup},
	{method: "DELETE", path: "/default_stream_groups/{group_id:int}", guard: admin, handle: deleteDefaultChannelGroup},
	{method: "PATCH", path: "/default_stream_groups/{group_id:int}/streams", guard: admin, handle: changeDefaultChannelGroup},

	// Channel folders.
	{method: "POST", path: "/channel_folders/create", guard: admin, since: featurelevel.Since("zulip_channel_folder", ""), handle: createFolder},
	{method: "GET", path: "/channel_folders", guard: anyUser, since: featurelevel.Since("zulip_channel_folder", ""), handle: listFolders},
	{method: "PATCH", path: "/channel_folders", guard: admin, since: featurelevel.Since("zulip_channel_folder_order", "folder_ids"), handle: orderFolders},
	{method: "PATCH", path: "/channel_folders/{folder_id:int}", guard: admin, since: featurelevel.Since("zulip_channel_folder", ""), handle: updateFolder},

	// User groups. Below the level that admits bots, they may only deactivate groups.
	{method: "GET", path: "/user_groups", guard: humanNonGuest, bots: featurelevel.UserGroupsByBots, handle: listUserGroups},
	{method: "POST", path: "/user_groups/create", guard: humanNonGuest, bots: featurelevel.UserGroupsByBots, handle: createUserGroup},
	{method: "PATCH", path: "/user_groups/{group_id:int}", guard: humanNonGuest, bots: featurelevel.UserGroupsByBots, handle: updateUserGroup},
	{method: "GET", path: "/user_groups/{group_id:int}/members", guard: humanNonGuest, bots: featurelevel.UserGroupsByBots, handle: getGroupMembers},
	{method: "POST", path: "/user_groups/{group_id:int}/members", guard: humanNonGuest, bots: featurelevel.UserGroupsByBots, handle: changeGroupMembers},
	{method: "POST", path: "/user_groups/{group_id:int}/subgroups", guard: humanNonGuest, bots: featurelevel.UserGroupsByBots, handle: changeSubgroups},
	{method: "GET", path: "/user_groups/{group_id:int}/subgroups", guard: humanNonGuest, bots: featurelevel.UserGroupsByBots, handle: getSubgroups},
	{method: "GET", path: "/user_groups/{group_id:int}/members/{user_id:int}", guard: humanNonGuest, bots: featurelevel.UserGroupsByBots, handle: isGroupMember},
	{method: "POST", path: "/user_groups/{group_id:int}/deactivate", guard: anyUser, handle: deactivateUserGroup},

	// Messages.
	{method: "GET", path: "/messages", guard: anyUser, handle: listMessages},
	{method: "POST", path: "/messages", guard: anyUser, webhookBots: true, handle: sendMessage},
	{method: "GET", path: "/messages/{message_id:int}", guard: anyUser, handle: getMessage},
	{method: "PATCH", path: "/messages/{message_id:int}", guard: anyUser, handle: updateMessage},
	{method: "DELETE", path: "/messages/{message_id:int}", guard: anyUser, handle: deleteMessage},
	{method: "GET", path: "/messages/{message_id:int}/history", guard: anyUser, handle: getMessageHistory},
	{method: "POST", path: "/messages/{message_id:int}/reactions", guard: anyUser, handle: addReaction},
	{method: "DELETE", path: "/messages/{message_id:int}/reactions", guard: anyUser, handle: removeReaction},
	{method: "POST", path: "/messages/{message_id:int}/report", guard: anyUser, since: featurelevel.Since("zulip_report_message", ""), handle: reportMessage},
	{method: "POST", path: "/messages/{message_id:int}/typing", guard: anyUser, handle: sendTypingEdit},
	{method: "POST", path: "/typing", guard: anyUser, handle: sendTyping},
	{method: "POST", path: "/messages/flags", guard: anyUser, handle: updateFlags},
	{method: "POST", path: "/messages/flags/narrow", guard: anyUser, handle: updateFlagsForNarrow},
	{method: "POST", path: "/mark_stream_as_read", guard: anyUser, handle: markChannelRead},
	{method: "POST", path: "/mark_topic_as_read", guard: anyUser, handle: markTopicRead},

	// Drafts and scheduled messages.
	{method: "GET", path: "/drafts", guard: anyUser, handle: listDrafts},
	{method: "POST", path: "/drafts", guard: anyUser, handle: createDrafts},
	{method: "PATCH", path: "/drafts/{draft_id:int}", guard: anyUser, handle: editDraft},
	{method: "DELETE", path: "/drafts/{draft_id:int}", guard: anyUser, handle: deleteDraft},
	{method: "GET", path: "/scheduled_messages", guard: anyUser, handle: listScheduledMessages},
	{method: "POST", path: "/scheduled_messages", guard: anyUser, handle: createScheduledMessage},
	{method: "DELETE", path: "/scheduled_messages/{scheduled_message_id:int}", guard: anyUser, handle: deleteScheduledMessage},
	{method: "PATCH", path: "/scheduled_messages/{scheduled_message_id:int}", guard: anyUser, handle: editScheduledMessage},
}

// otherEndpoints are endpoints of Zulip's API that the sandbox does not support, with the verbs in the server's order.
const otherEndpoints = `
GET,POST,DELETE /users/me/alert_words
POST,DELETE /users/me/muted_users/{user_id:int}
POST /users/me/onboarding_steps
POST /users/me/presence
PATCH /users/me/subscriptions/muted_topics
POST,DELETE /users/me/apns_device_token
POST,DELETE /users/me/android_gcm_reg_id
GET /users/{email}/presence
GET /users/{user_id:int}/channels
PATCH /settings/display
PATCH /settings/notifications
POST /mobile_push/register
POST /mobile_push/test_notification
POST /mobile_push/e2ee/test_notification
POST /user_topics
GET /streams/{stream_id:int}/email_address
POST /streams/{stream_id:int}/delete_topic
POST /mark_all_as_read
GET /messages/matches_narrow
GET /messages/{message_id:int}/read_receipts
POST /messages/render
GET /messages/summary
POST /submessage
POST /zcommand
GET /attachments
DELETE /attachments/{attachment_id:int}
POST /user_uploads
GET /user_uploads/{realm_id}/{name}
GET /user_uploads/{realm_id}/{folder}/{name}
GET /user_uploads/{realm_id}/{folder}/{subfolder}/{name}
GET,POST /navigation_views
PATCH,DELETE /navigation_views/{view}
PATCH,DELETE /navigation_views/{kind}/{view}
PATCH,DELETE /navigation_views/{kind}/{operator}/{view}
GET,POST /reminders
DELETE /reminders/{reminder_id:int}
PUT,GET,DELETE /bot_storage
POST /calls/zoom/create
GET /calls/bigbluebutton/create
GET /realm/presence
POST /realm/deactivate
POST /realm/test_welcome_bot_custom_message
`

// unsupported are the lines of the table of endpoints for otherEndpoints.
func unsupported() []endpoint {
	var table []endpoint
	for line := range strings.Lines(strings.TrimSpace(otherEndpoints)) {
		verbs, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		for verb := range strings.SplitSeq(verbs, ",") {
			table = append(table, endpoint{method: verb, path: path, guard: anyUser, handle: notSupported(verb + " " + path)})
		}
	}
	return table
}

// notSupported refuses an unsupported endpoint, in words that no real server uses.
func notSupported(name string) handler {
	return func(*request) (fields, error) { return nil, notSupportedError(strings.ReplaceAll(name, ":int}", "}")) }
}

func notSupportedError(what string) error {
	return &rules.Error{
		Status: http.StatusNotFound, Code: "NOT_SUPPORTED_BY_SANDBOX", Msg: "The sandbox does not support " + what + ".",
	}
}

// DefaultFeatureLevel is the default level of the sandbox: that of the newest release.
const DefaultFeatureLevel = featurelevel.NewestRelease

// Feature levels that only the sandbox needs, to answer like older servers. Levels that the provider needs too come from
// the table of feature levels. The level of a single parameter or field is next to it.
const (
	levelArchivedChannels = 378 // in streams of /register, for clients that support them
)

// releases lists the feature level of each major release, newest first. The levels from 499 on are reserved for releases of
// Zulip 12.
var releases = []struct {
	level int
	major int
}{{498, 12}, {421, 11}, {371, 10}}

// lastOf12 is the last level that is reserved for releases of Zulip 12.
const lastOf12 = 501

// versionAt returns the zulip_version of a server of the feature level: a release, or the development version that follows
// it.
func versionAt(level int) string {
	for _, r := range releases {
		switch {
		case r.major == 12 && level > r.level && level <= lastOf12:
			return fmt.Sprintf("%d.%d", r.major, level-r.level)
		case r.major == 12 && level > lastOf12:
			return fmt.Sprintf("%d.0-dev-%d-gsandbox", r.major+1, level-lastOf12)
		case level == r.level:
			return fmt.Sprintf("%d.0", r.major)
		case level > r.level:
			return fmt.Sprintf("%d.0-dev-%d-gsandbox", r.major+1, level-r.level)
		}
	}
	return "9.0"
}
