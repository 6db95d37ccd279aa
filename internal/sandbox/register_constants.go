package sandbox

import (
	_ "embed" // for registerConstants
	"encoding/json"
	"fmt"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

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

// always is a part of a snapshot with one field that has the same value for everybody, since the sandbox does not have what
// it tells of.
func always(name string, value any) func(*request, registerOptions) fields {
	return func(*request, registerOptions) fields { return fields{name: value} }
}

// registerOnboarding is the onboarding_steps part of a snapshot: the hints that an account has not seen. People choose in the
// first of them how they follow topics when they sign up, bots do not.
func registerOnboarding(r *request, _ registerOptions) fields {
	answer := fields{"onboarding_steps": registerConstants["onboarding_steps"]}
	var steps []json.RawMessage
	if err := json.Unmarshal(registerConstants["onboarding_steps"], &steps); err == nil && !r.me.IsBot {
		answer["onboarding_steps"] = steps[1:]
	}
	r.add(answer, 369, "navigation_tour_video_url", "https://static.zulipchat.com/static/navigation-tour-video/zulip-10.mp4")
	return answer
}

// addServerConstants adds what clients have to know of the server.
func (r *request) addServerConstants(answer fields) {
	answer["development_environment"] = false
	answer["event_queue_longpoll_timeout_seconds"] = 90
	answer["server_generation"] = r.server.generation
	answer["server_needs_upgrade"] = false
	answer["upgrade_text_for_wide_organization_logo"] = "Available on Zulip Cloud Standard. Upgrade to access."
	answer["zulip_plan_is_not_limited"] = true
	r.add(answer, 164, "server_presence_ping_interval_seconds", 60)
	r.add(answer, 164, "server_presence_offline_threshold_seconds", 200)
	r.add(answer, 204, "server_typing_started_expiry_period_milliseconds", 45000)
	r.add(answer, 204, "server_typing_stopped_wait_period_milliseconds", 12000)
	r.add(answer, 204, "server_typing_started_wait_period_milliseconds", 30000)
	r.add(answer, 273, "server_thumbnail_formats", registerConstants["server_thumbnail_formats"])
	r.add(answer, 332, "server_min_deactivated_realm_deletion_days", 14)
	r.add(answer, 332, "server_max_deactivated_realm_deletion_days", nil)
	r.add(answer, 350, "server_can_summarize_topics", false)
}

// registerPresence is the presence part of a snapshot. The sandbox does not keep who is there.
func registerPresence(r *request, _ registerOptions) fields {
	answer := fields{"presences": fields{}, "server_timestamp": float64(r.server.clock().UnixMicro()) / 1e6}
	r.add(answer, 263, "presence_last_update_id", -1)
	return answer
}

// registerUserSettings is the user_settings part of a snapshot: what PATCH /settings changes.
func registerUserSettings(r *request, _ registerOptions) fields {
	settings := r.userSettingsObject(func(s rules.UserSetting) any { return r.org.UserSetting(r.me.ID, s) })
	return fields{"user_settings": settings}
}
