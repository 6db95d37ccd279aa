package sandbox

import (
	"net/http"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// otherEndpoints are those of Zulip's API that the sandbox does not support,
// with the verbs in the server's order.
const otherEndpoints = `
GET,POST,DELETE /users/me/alert_words
POST,DELETE /users/me/muted_users/{user_id:int}
POST /users/me/onboarding_steps
POST /users/me/presence
PATCH /users/me/subscriptions/muted_topics
POST,DELETE /users/me/apns_device_token
POST,DELETE /users/me/android_gcm_reg_id
GET /users/{email}/presence
POST /mobile_push/register
POST /mobile_push/test_notification
POST /mobile_push/e2ee/test_notification
POST /user_topics
GET /streams/{stream_id:int}/email_address
POST /streams/{stream_id:int}/delete_topic
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

// notSupported refuses what the sandbox does not have, so that nobody takes it
// for what the real server does not have.
func notSupported(name string) handler {
	return func(*request) (fields, error) { return nil, notSupportedError(strings.ReplaceAll(name, ":int}", "}")) }
}

func notSupportedError(what string) error {
	return &rules.Error{
		Status: http.StatusNotFound, Code: "NOT_SUPPORTED_BY_SANDBOX", Msg: "The sandbox does not support " + what + ".",
	}
}
