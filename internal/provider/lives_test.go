package provider_test

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// life is what a test needs to take one resource from its creation to its end. Several of them live in one organization
// and do not touch each other.
type life struct {
	of string
	// create configures as much as a server can have; what the server is too old for is left out, see at.
	create values
	// update changes it in place; nil for what is only ever replaced.
	update values
	// importID names it for an import; empty for its id.
	importID string
	// notImported are attributes that no server gives back.
	notImported []string
	// stays says that it is there after it is destroyed: it is only not managed any more.
	stays bool
}

// lives returns one of every resource, and makes in the organization what they refer to.
func lives(t *testing.T, o *acctest.Organization) []life {
	t.Helper()
	const lena, kenji = "lena.fischer@example.com", "kenji.sato@example.com"
	const robot = "terraform-bot@zulip.example.com"
	picture := filepath.Join(t.TempDir(), "kudos.png")
	writePicture(t, picture)
	general, incidents, leads := o.MustChannel(t, "general").ID, o.MustChannel(t, "incidents").ID, o.MustChannel(t, "leads").ID
	message, err := o.Client.SendMessage(t.Context(), zulip.Addressee{ChannelID: general, Topic: "votes"}, "Shall we?")
	if err != nil {
		t.Fatal(err)
	}
	var first []any // of each kind that has an order
	for _, pattern := range []string{"ONE-(?P<id>[0-9]+)", "TWO-(?P<id>[0-9]+)"} {
		id, _ := o.Call(t, "POST", "/realm/filters", map[string]string{"pattern": pattern, "url_template": "https://example.com/{id}"})["id"].(float64)
		first = append(first, int(id))
	}
	var fields []any
	for _, name := range []string{"Team", "Desk"} {
		id, _ := o.Call(t, "POST", "/realm/profile_fields", map[string]string{"name": name, "field_type": "1"})["id"].(float64)
		fields = append(fields, int(id))
	}
	var folders []any
	if o.Sandbox.FeatureLevel() >= featurelevel.Since("zulip_channel_folder", "") {
		for _, name := range []string{"First", "Second"} {
			id, _ := o.Call(t, "POST", "/channel_folders/create", map[string]string{"name": name, "description": ""})["channel_folder_id"].(float64)
			folders = append(folders, int(id))
		}
	}
	all := []life{
		{of: "zulip_bot",
			create:      values{"short_name": "alerts", "full_name": "Alerts", "bot_type": "outgoing_webhook", "payload_url": "https://example.com/hook", "interface": "slack", "owner": lena, "role": "guest", "default_sending_stream": "general", "avatar_file": picture},
			update:      values{"full_name": "Alarms", "payload_url": "https://example.com/other", "owner": kenji, "role": "member"},
			notImported: []string{"adopt_deactivated", "avatar_file", "avatar_sha256", "avatar_url"}},
		{of: "zulip_channel",
			create: values{"name": "releases", "description": "What ships", "folder": "First", "privacy": "public", "is_default": true, "topics_policy": "allow_empty_topic", "message_retention_days": "30", "can_send_message_group": []any{"role:moderators"},
				"can_administer_channel_group": []any{"role:administrators"}, "can_create_topic_group": []any{"role:members"}, "can_delete_any_message_group": []any{"role:nobody"}, "can_subscribe_group": []any{"role:members"}, "default_push_notifications": true},
			update:      values{"name": "ships", "description": "", "folder": "Second", "privacy": "private_shared_history", "is_default": false, "can_send_message_group": []any{"user:" + lena}, "message_retention_days": "unlimited", "default_push_notifications": false},
			notImported: []string{"adopt_archived", "announce", "initial_subscribers", "on_destroy"}},
		{of: "zulip_channel_folder", create: values{"name": "Incidents", "description": "What is broken"}, update: values{"name": "Outages", "description": ""}, notImported: []string{"adopt_archived"}},
		{of: "zulip_channel_folder_order", create: values{"folder_ids": folders}, update: values{"folder_ids": reversed(folders)}, stays: true, notImported: []string{"folder_ids"}},
		{of: "zulip_channel_subscribers", create: values{"channel": fmt.Sprint(leads), "users": []any{o.Self.Address(), "tomas.berg@example.com", "amara.okafor@example.com", lena}}, update: values{"users": []any{o.Self.Address(), kenji}}, importID: fmt.Sprint(leads), notImported: []string{"channel", "users"}, stays: true},
		{of: "zulip_channel_subscription", create: values{"channel": "general", "users": []any{lena}}, update: values{"users": []any{lena, kenji}}, notImported: []string{"channel", "users"}, importID: "general/" + kenji + "," + lena, stays: true},
		{of: "zulip_channel_subscription_settings", create: values{"channel": "general", "color": "#76ce90", "pin_to_top": true}, update: values{"color": "#c6a8ad", "is_muted": true}, stays: true, importID: "general", notImported: []string{"channel"}},
		{of: "zulip_code_playground", create: values{"name": "Python", "pygments_language": "Python", "url_template": "https://python.example.com/?code={code}"}},
		{of: "zulip_custom_emoji", create: values{"name": "kudos", "file": picture}, notImported: []string{"file", "file_sha256"}},
		{of: "zulip_custom_profile_field", create: values{"field_type": "long_text", "name": "About", "hint": "What you do", "required": true, "editable_by_user": false, "use_for_user_matching": true}, update: values{"name": "Biography", "hint": "", "required": false}},
		{of: "zulip_custom_profile_field_order", create: values{"field_ids": fields}, update: values{"field_ids": reversed(fields)}, stays: true, notImported: []string{"field_ids"}},
		{of: "zulip_default_channel_group", create: values{"name": "Developers", "description": "What they read", "channel_ids": []any{int(incidents)}}, update: values{"name": "Engineers", "description": "Theirs"}},
		{of: "zulip_default_user_settings", create: values{"web_home_view": "recent_topics", "color_scheme": "dark", "twenty_four_hour_time": true, "web_inbox_show_channel_folders": false}, update: values{"web_home_view": "inbox", "color_scheme": "light"}, stays: true},
		{of: "zulip_domain", create: values{"domain": "example.org", "allow_subdomains": true}, update: values{"allow_subdomains": false}},
		{of: "zulip_draft", create: values{"channel": "general", "topic": "outage", "content": "What?"}, update: values{"content": "What now?"}, notImported: []string{"channel"}},
		{of: "zulip_invitation", create: values{"email": "tariq.aziz@example.com", "expires_in_minutes": 1440, "invite_as": "guest", "channel_ids": []any{int(general)}, "notify_referrer_on_join": false, "welcome_message_custom_text": "Welcome!"}, update: values{"invite_as": "member"},
			notImported: []string{"channel_ids", "welcome_message_custom_text", "include_realm_default_subscriptions", "group_ids"}},
		{of: "zulip_invite_link", create: values{"expires_in_minutes": 1440, "invite_as": "guest", "channel_ids": []any{int(general)}, "welcome_message_custom_text": "Welcome!"},
			notImported: []string{"channel_ids", "welcome_message_custom_text", "include_realm_default_subscriptions", "group_ids"}},
		{of: "zulip_linkifier", create: values{"pattern": "#(?P<id>[0-9]+)", "url_template": "https://example.com/{id}", "example_input": "#1", "reverse_template": "#{id}", "alternative_url_templates": []any{"https://example.org/{id}"}}, update: values{"url_template": "https://example.net/{id}"}},
		{of: "zulip_linkifier_order", create: values{"linkifier_ids": first}, update: values{"linkifier_ids": reversed(first)}, stays: true, notImported: []string{"linkifier_ids"}},
		{of: "zulip_message", create: values{"channel": "general", "topic": "rules", "content": "Be kind."}, update: values{"content": "Be kind!"}, notImported: []string{"channel", "on_destroy", "message_url", "message_link"}},
		{of: "zulip_organization", create: values{"description": "What we do", "giphy_rating": "pg", "video_chat_provider": "jitsi_meet", "topics_policy": "allow_empty_topic", "send_channel_events_messages": false, "default_avatar_source": "gravatar", "media_preview_size": 150,
			"can_create_groups": []any{"role:moderators"}, "can_add_custom_emoji_group": []any{"user:" + lena}},
			update: values{"description": "What we did", "giphy_rating": "g", "can_create_groups": []any{"role:members"}}, stays: true},
		{of: "zulip_organization_image", create: values{"kind": "night_logo", "file": picture}, notImported: []string{"file", "file_sha256"}},
		{of: "zulip_reaction", create: values{"message_id": int(message), "emoji_name": "tada"}},
		{of: "zulip_role_members", create: values{"role": "administrator", "users": []any{"tomas.berg@example.com", robot, kenji}, "demote_to": "member"}, update: values{"users": []any{robot, "tomas.berg@example.com"}, "demote_to": "moderator"}, stays: true, importID: "administrator", notImported: []string{"users", "demote_to"}},
		{of: "zulip_scheduled_message", create: values{"channel": "general", "topic": "audit", "content": "It begins.", "scheduled_delivery_timestamp": "2099-01-15T09:00:00Z"}, update: values{"content": "It begins today."}, notImported: []string{"channel", "resend_when_gone"}},
		{of: "zulip_user", create: values{"email": "nadia.haddad@example.com", "full_name": "Nadia Haddad", "role": "moderator", "deactivation_notification_comment": "Thanks!"}, update: values{"full_name": "Nadia H.", "role": "member", "active": true},
			notImported: []string{"active", "deactivation_notification_comment", "adopt_deactivated", "password_wo_version", "deactivation_actions"}},
		{of: "zulip_user_group", create: values{"name": "platform", "description": "It runs", "members": []any{lena}, "subgroups": []any{"sre"}, "can_mention_group": []any{"role:members"}, "can_manage_group": []any{"role:administrators"}},
			update: values{"name": "infra", "description": "", "members": []any{kenji, lena}, "can_mention_group": []any{"role:everyone"}}, notImported: []string{"adopt_deactivated"}},
		{of: "zulip_user_group_membership", create: values{"group": "leads", "members": []any{kenji}}, update: values{"members": []any{kenji, "amara.okafor@example.com"}}, notImported: []string{"group", "members"}, importID: "leads/amara.okafor@example.com," + kenji},
		{of: "zulip_user_role", create: values{"user": "amara.okafor@example.com", "role": "moderator"}, update: values{"role": "member"}, stays: true, importID: "amara.okafor@example.com", notImported: []string{"on_destroy"}},
		{of: "zulip_user_status", create: values{"user": lena, "status_text": "Away", "emoji_name": "palm_tree"}, update: values{"status_text": "Back soon"}, importID: lena, stays: true},
	}
	return all
}

// at returns a configuration without what servers of a level do not have.
func (l life) at(level int, config values) values {
	found := values{}
	for name, setting := range config {
		text, _ := setting.(string)
		if featurelevel.Lookup(l.of, name) <= level && featurelevel.LookupValue(l.of, name, text) <= level {
			found[name] = setting
		}
	}
	return found
}

// updated returns the configuration of the update on a server of a level.
func (l life) updated(level int) values {
	config := maps.Clone(l.create)
	maps.Copy(config, l.update)
	return l.at(level, config)
}

// oldest is the oldest supported level that has the resource.
func (l life) oldest() int {
	oldest := featurelevel.Oldest
	for _, row := range featurelevel.Of(l.of) {
		whole := row.Attribute == "" || l.of == "zulip_channel_folder_order"
		if whole && row.Below == featurelevel.Refused {
			oldest = max(oldest, row.Level)
		}
		if row.Attribute == "user" && l.of == "zulip_user_status" {
			oldest = max(oldest, row.Level)
		}
	}
	return oldest
}

func reversed(list []any) []any {
	turned := make([]any, len(list))
	for i, element := range list {
		turned[len(list)-1-i] = element
	}
	return turned
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
