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

// life is the data for testing one resource from its creation to its destroy. Several of them live in one organization
// and do not affect each other.
type life struct {
	of string
	// create sets as many attributes as a server can have. [at] leaves out those that the server is too old for.
	create values
	// update changes it in place, and is nil for a resource without updates.
	update values
	// importID is its import ID; empty for its id.
	importID string
	// notImported are attributes that no server returns.
	notImported []string
	// stays is true if it still exists after it is destroyed, because it is only removed from the state.
	stays bool
}

// around are the objects that the lives reference. In a sandbox they are part of the example organization. On a real
// server the test creates them, with bots as people.
type around struct {
	lena, kenji, tomas, amara string
	// owners can own bots, and can be given a status.
	owners                    [2]string
	general, incidents, leads *zulip.Channel
}

func surround(t *testing.T, o *acctest.Organization) around {
	t.Helper()
	if o.Sandbox != nil {
		const lena, kenji = "lena.fischer@example.com", "kenji.sato@example.com"
		return around{
			lena: lena, kenji: kenji, tomas: "tomas.berg@example.com", amara: "amara.okafor@example.com", owners: [2]string{lena, kenji},
			general: o.MustChannel(t, "general"), incidents: o.MustChannel(t, "incidents"), leads: o.MustChannel(t, "leads"),
		}
	}
	bot := func(name string) string {
		id, err := o.Client.CreateBot(t.Context(), zulip.NewBot{FullName: o.Prefix + name, ShortName: o.Prefix + name, Type: 1})
		if err != nil {
			t.Fatal(err)
		}
		undo(t, o, "DELETE", fmt.Sprint("/bots/", id), nil)
		user, err := o.Client.User(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return user.Address()
	}
	channel := func(name string) *zulip.Channel {
		o.Call(t, "POST", "/users/me/subscriptions", map[string]string{"subscriptions": fmt.Sprintf(`[{"name":%q}]`, o.Prefix+name)})
		t.Cleanup(func() { o.Archive(t, o.Prefix+name) })
		return o.MustChannel(t, o.Prefix+name)
	}
	o.Group(t, "sre")
	o.Group(t, "leads")
	return around{
		lena: bot("lena"), kenji: bot("kenji"), tomas: bot("tomas"), amara: bot("amara"), owners: [2]string{o.Self.Address(), o.Self.Address()},
		general: channel("general"), incidents: channel("incidents"), leads: channel("leads"),
	}
}

// undo sends a request at the end of the test if the organization is on a real server.
func undo(t *testing.T, o *acctest.Organization, method, path string, params map[string]string) {
	t.Helper()
	if o.Sandbox == nil {
		t.Cleanup(func() { o.Call(t, method, path, params) })
	}
}

// lasting are the resources that are not tested on a real server. A user account cannot be deleted, and the list of a
// role removes everyone who is not in it.
var lasting = []string{"zulip_user", "zulip_role_members"}

// lives returns one of every resource, and creates the objects that they reference. On a real server it leaves out the
// lasting ones.
func lives(t *testing.T, o *acctest.Organization) []life {
	t.Helper()
	const robot = "terraform-bot@zulip.example.com"
	on := surround(t, o)
	name := func(name string) string {
		if o.Sandbox != nil {
			return name
		}
		return o.Prefix + name
	}
	created := func(path, key string, params map[string]string) int {
		id, _ := o.Call(t, "POST", path, params)[key].(float64)
		return int(id)
	}
	picture := filepath.Join(t.TempDir(), "kudos.png")
	writePicture(t, picture)
	message, err := o.Client.SendMessage(t.Context(), zulip.Addressee{ChannelID: on.general.ID, Topic: "votes"}, "Shall we?")
	if err != nil {
		t.Fatal(err)
	}
	undo(t, o, "DELETE", fmt.Sprint("/messages/", message), nil)
	var first, fields, folders []any // of each kind that has an order
	for _, pattern := range []string{"ONE-(?P<id>[0-9]+)", "TWO-(?P<id>[0-9]+)"} {
		id := created("/realm/filters", "id", map[string]string{"pattern": name(pattern), "url_template": "https://example.com/{id}"})
		undo(t, o, "DELETE", fmt.Sprint("/realm/filters/", id), nil)
		first = append(first, id)
	}
	for _, field := range []string{"Team", "Desk"} {
		id := created("/realm/profile_fields", "id", map[string]string{"name": name(field), "field_type": "1"})
		undo(t, o, "DELETE", fmt.Sprint("/realm/profile_fields/", id), nil)
		fields = append(fields, id)
	}
	if levelOf(t, o) >= featurelevel.Since("zulip_channel_folder", "") {
		for _, folder := range []string{"First", "Second"} {
			if o.Sandbox == nil {
				folders = append(folders, int(o.Folder(t, folder)))
				continue
			}
			folders = append(folders, created("/channel_folders/create", "channel_folder_id", map[string]string{"name": folder, "description": ""}))
		}
	}
	all := []life{
		{of: "zulip_bot",
			create:      values{"short_name": name("alerts"), "full_name": name("Alerts"), "bot_type": "outgoing_webhook", "payload_url": "https://example.com/hook", "interface": "slack", "owner": on.owners[0], "role": "guest", "default_sending_stream": on.general.Name, "avatar_file": picture},
			update:      values{"full_name": name("Alarms"), "payload_url": "https://example.com/other", "owner": on.owners[1], "role": "member"},
			notImported: []string{"adopt_deactivated", "avatar_file", "avatar_sha256", "avatar_url"}},
		{of: "zulip_channel",
			create: values{"name": name("releases"), "description": "What ships", "folder": name("First"), "privacy": "public", "is_default": true, "topics_policy": "allow_empty_topic", "message_retention_days": "30", "can_send_message_group": []any{"role:moderators"},
				"can_administer_channel_group": []any{"role:administrators"}, "can_create_topic_group": []any{"role:members"}, "can_delete_any_message_group": []any{"role:nobody"}, "can_subscribe_group": []any{"role:members"}, "default_push_notifications": true},
			update:      values{"name": name("ships"), "description": "", "folder": name("Second"), "privacy": "private_shared_history", "is_default": false, "can_send_message_group": []any{"user:" + on.lena}, "message_retention_days": "unlimited", "default_push_notifications": false},
			notImported: []string{"adopt_archived", "announce", "initial_subscribers", "on_destroy"}},
		{of: "zulip_channel_folder", create: values{"name": name("Incidents"), "description": "What is broken"}, update: values{"name": name("Outages"), "description": ""}, notImported: []string{"adopt_archived"}},
		{of: "zulip_channel_folder_order", create: values{"folder_ids": folders}, update: values{"folder_ids": reversed(folders)}, stays: true, notImported: []string{"folder_ids"}},
		{of: "zulip_channel_subscribers", create: values{"channel": fmt.Sprint(on.leads.ID), "users": []any{o.Self.Address(), on.tomas, on.amara, on.lena}}, update: values{"users": []any{o.Self.Address(), on.kenji}}, importID: fmt.Sprint(on.leads.ID), notImported: []string{"channel", "users"}, stays: true},
		{of: "zulip_channel_subscription", create: values{"channel": on.general.Name, "users": []any{on.lena}}, update: values{"users": []any{on.lena, on.kenji}}, notImported: []string{"channel", "users"}, importID: on.general.Name + "/" + on.lena + "," + on.kenji, stays: true},
		{of: "zulip_channel_subscription_settings", create: values{"channel": on.general.Name, "color": "#76ce90", "pin_to_top": true}, update: values{"color": "#c6a8ad", "is_muted": true}, stays: true, importID: on.general.Name, notImported: []string{"channel"}},
		{of: "zulip_code_playground", create: values{"name": name("Python"), "pygments_language": "Python", "url_template": "https://python.example.com/?code={code}"}},
		{of: "zulip_custom_emoji", create: values{"name": name("kudos"), "file": picture}, notImported: []string{"file", "file_sha256"}},
		{of: "zulip_custom_profile_field", create: values{"field_type": "long_text", "name": name("About"), "hint": "What you do", "required": true, "editable_by_user": false, "use_for_user_matching": true}, update: values{"name": name("Biography"), "hint": "", "required": false}},
		{of: "zulip_custom_profile_field_order", create: values{"field_ids": fields}, update: values{"field_ids": reversed(fields)}, stays: true, notImported: []string{"field_ids"}},
		{of: "zulip_default_channel_group", create: values{"name": name("Developers"), "description": "What they read", "channel_ids": []any{int(on.incidents.ID)}}, update: values{"name": name("Engineers"), "description": "Theirs"}},
		{of: "zulip_default_user_settings", create: values{"web_home_view": "recent_topics", "color_scheme": "dark", "twenty_four_hour_time": true, "web_inbox_show_channel_folders": false}, update: values{"web_home_view": "inbox", "color_scheme": "light"}, stays: true},
		{of: "zulip_domain", create: values{"domain": name("example.org"), "allow_subdomains": true}, update: values{"allow_subdomains": false}},
		{of: "zulip_draft", create: values{"channel": on.general.Name, "topic": "outage", "content": "What?"}, update: values{"content": "What now?"}, notImported: []string{"channel"}},
		{of: "zulip_invitation", create: values{"email": name("tariq.aziz@example.com"), "expires_in_minutes": 1440, "invite_as": "guest", "channel_ids": []any{int(on.general.ID)}, "notify_referrer_on_join": false, "welcome_message_custom_text": "Welcome!"}, update: values{"invite_as": "member"},
			notImported: []string{"channel_ids", "welcome_message_custom_text", "include_realm_default_subscriptions", "group_ids"}},
		{of: "zulip_invite_link", create: values{"expires_in_minutes": 1440, "invite_as": "guest", "channel_ids": []any{int(on.general.ID)}, "welcome_message_custom_text": "Welcome!"},
			notImported: []string{"channel_ids", "welcome_message_custom_text", "include_realm_default_subscriptions", "group_ids"}},
		{of: "zulip_linkifier", create: values{"pattern": name("#(?P<id>[0-9]+)"), "url_template": "https://example.com/{id}", "example_input": name("#1"), "reverse_template": name("#{id}"), "alternative_url_templates": []any{"https://example.org/{id}"}}, update: values{"url_template": "https://example.net/{id}"}},
		{of: "zulip_linkifier_order", create: values{"linkifier_ids": first}, update: values{"linkifier_ids": reversed(first)}, stays: true, notImported: []string{"linkifier_ids"}},
		{of: "zulip_message", create: values{"channel": on.general.Name, "topic": "rules", "content": "Be kind."}, update: values{"content": "Be kind!"}, notImported: []string{"channel", "on_destroy", "message_url", "message_link"}},
		{of: "zulip_organization", create: values{"description": "What we do", "giphy_rating": "pg", "video_chat_provider": "jitsi_meet", "topics_policy": "allow_empty_topic", "send_channel_events_messages": false, "default_avatar_source": "gravatar", "media_preview_size": 150,
			"can_create_groups": []any{"role:moderators"}, "can_add_custom_emoji_group": []any{"user:" + on.lena}},
			update: values{"description": "What we did", "giphy_rating": "g", "can_create_groups": []any{"role:members"}}, stays: true},
		{of: "zulip_organization_image", create: values{"kind": "night_logo", "file": picture}, notImported: []string{"file", "file_sha256"}},
		{of: "zulip_reaction", create: values{"message_id": int(message), "emoji_name": "tada"}},
		{of: "zulip_role_members", create: values{"role": "administrator", "users": []any{on.tomas, robot, on.kenji}, "demote_to": "member"}, update: values{"users": []any{robot, on.tomas}, "demote_to": "moderator"}, stays: true, importID: "administrator", notImported: []string{"users", "demote_to"}},
		{of: "zulip_scheduled_message", create: values{"channel": on.general.Name, "topic": "audit", "content": "It begins.", "scheduled_delivery_timestamp": "2099-01-15T09:00:00Z"}, update: values{"content": "It begins today."}, notImported: []string{"channel", "resend_when_gone"}},
		{of: "zulip_user", create: values{"email": "nadia.haddad@example.com", "full_name": "Nadia Haddad", "role": "moderator", "deactivation_notification_comment": "Thanks!"}, update: values{"full_name": "Nadia H.", "role": "member", "active": true},
			notImported: []string{"active", "deactivation_notification_comment", "adopt_deactivated", "password_wo_version", "deactivation_actions"}},
		{of: "zulip_user_group", create: values{"name": name("platform"), "description": "It runs", "members": []any{on.lena}, "subgroups": []any{name("sre")}, "can_mention_group": []any{"role:members"}, "can_manage_group": []any{"role:administrators"}},
			update: values{"name": name("infra"), "description": "", "members": []any{on.kenji, on.lena}, "can_mention_group": []any{"role:everyone"}}, notImported: []string{"adopt_deactivated"}},
		{of: "zulip_user_group_membership", create: values{"group": name("leads"), "members": []any{on.kenji}}, update: values{"members": []any{on.kenji, on.amara}}, notImported: []string{"group", "members"}, importID: name("leads") + "/" + on.kenji + "," + on.amara},
		{of: "zulip_user_role", create: values{"user": on.amara, "role": "moderator"}, update: values{"role": "member"}, stays: true, importID: on.amara, notImported: []string{"on_destroy"}},
		{of: "zulip_user_status", create: values{"user": on.owners[0], "status_text": "Away", "emoji_name": "palm_tree"}, update: values{"status_text": "Back soon"}, importID: on.owners[0], stays: true},
	}
	if o.Sandbox == nil {
		all = slices.DeleteFunc(all, func(l life) bool { return slices.Contains(lasting, l.of) })
	}
	return all
}

// levelOf returns the feature level of the organization's server.
func levelOf(t *testing.T, o *acctest.Organization) int {
	t.Helper()
	if o.Sandbox != nil {
		return o.Sandbox.FeatureLevel()
	}
	level, _ := o.Call(t, "GET", "/server_settings", nil)["zulip_feature_level"].(float64)
	return int(level)
}

// at returns a configuration without attributes that servers of a level lack.
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
