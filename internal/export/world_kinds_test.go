package export_test

import (
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// fill creates objects of all kinds, and removes some of them.
func (w *world) fill() {
	w.fillPeople()
	w.fillGroups()
	w.fillChannels()
	w.fillLists()
	w.fillFields()
	w.fillRealm()
	w.takeAway()
}

func (w *world) fillPeople() {
	w.times(4, func() {
		address := fmt.Sprintf("%s%d@example.com", pick(w, []string{"ada", "Ada", "o'brien", "x+y", "a_b", "1st", "ümit"}), w.number(1, 3))
		w.call("POST", "/users", map[string]any{"email": address, "full_name": w.name(), "password": "a long password 4 you"})
	})
	for _, id := range w.people() {
		if w.seldom() && id != w.owner.ID {
			w.call("PATCH", path("/users/%d", id), map[string]any{"role": pick(w, []int{100, 200, 300, 400, 600})})
		}
	}
	w.times(4, func() {
		kind := pick(w, []int{1, 2, 3})
		params := map[string]any{
			"full_name": pick(w, []string{"Bot", "🤖", "${bot}", "a \\ b", "研究", "%{if}", "1"}), "short_name": pick(w, []string{"alerts", "Alerts", "b-c", "b_c", "b.c", "7", "über", "x y"}), "bot_type": kind,
		}
		switch kind {
		case 2:
			params["service_name"] = pick(w, []string{"github", "jira", ""})
		case 3:
			params["payload_url"], params["interface_type"] = pick(w, []any{`"https://example.com/${x}"`, `"https://example.com/?a=%{b}&c=1"`}), pick(w, []int{1, 2})
		}
		w.call("POST", "/bots", params)
	})
}

func (w *world) fillGroups() {
	w.times(5, func() {
		params := w.permissions(rules.GroupPermissions, 2, false)
		params["name"], params["description"] = w.name(), w.text()
		params["members"], params["subgroups"] = w.some(w.people(), 4), w.some(w.ownGroups(), 2)
		w.call("POST", "/user_groups/create", params)
	})
	for _, id := range w.ownGroups() {
		if w.yes() { // they manage each other, and themselves
			w.call("PATCH", path("/user_groups/%d", id), w.permissions(rules.GroupPermissions, 2, true))
		}
		if w.seldom() {
			w.call("POST", path("/user_groups/%d/subgroups", id), map[string]any{"add": w.some(w.ownGroups(), 2)})
		}
	}
}

func (w *world) fillChannels() {
	w.times(4, func() {
		w.call("POST", "/channel_folders/create", map[string]any{"name": w.name(), "description": w.text()})
	})
	w.times(6, func() {
		params := w.permissions(rules.ChannelPermissions, 3, false)
		params["name"], params["description"], params["subscribers"] = w.name(), w.text(), w.some(w.people(), 4)
		params["invite_only"], params["is_default_stream"] = w.seldom(), w.seldom()
		if params["is_web_public"] = w.seldom(); params["is_web_public"] == true {
			params["invite_only"] = false
		}
		if params["invite_only"] == true {
			params["history_public_to_subscribers"] = w.yes()
		}
		params["default_push_notifications"] = w.seldom()
		if all := ids(w, folders, nil); w.yes() {
			params["folder_id"] = pick(w, all)
		}
		if w.seldom() {
			params["message_retention_days"] = pick(w, []any{30, `"unlimited"`})
		}
		params["topics_policy"] = pick(w, []string{`"inherit"`, `"empty_topic_only"`, `"disable_empty_topic"`})
		w.call("POST", "/channels/create", params)
	})
	for _, id := range w.channels() {
		if w.seldom() {
			w.call("PATCH", path("/streams/%d", id), w.permissions(rules.ChannelPermissions, 2, true))
		}
		if w.seldom() {
			w.call("PATCH", path("/streams/%d", id), map[string]any{"folder_id": pick(w, ids(w, folders, nil))})
		}
	}
	w.times(3, func() {
		names := []string{}
		for _, id := range w.some(w.channels(), 3) {
			names = append(names, w.channelName(id))
		}
		w.call("POST", "/default_stream_groups/create", map[string]any{"group_name": w.name(), "description": w.text() + ".", "stream_names": names})
	})
	if w.yes() {
		w.call("PATCH", "/channel_folders", map[string]any{"order": rapid.Permutation(ids(w, folders, nil)).Draw(w.T, "order")})
	}
}

func (w *world) channelName(id int) (name string) {
	w.server.Organization().Read(func(o *rules.Organization) {
		channel, _ := o.Channels.Get(id)
		name = channel.Name
	})
	return name
}

func (w *world) fillLists() {
	w.times(5, func() {
		params := map[string]any{
			"pattern":      pick(w, []string{`#(?P<id>[0-9]+)`, `(?P<id>T-[A-Z]{2,}\d+)`, `"(?P<id>\w+)"`, `\$\{(?P<id>.)\}`, `%\{(?P<id>.)\}`, `(?P<org>[a-z]+)/(?P<id>\d+)`, `(?P<id>\p{L}+)Ж`}),
			"url_template": pick(w, []string{"https://example.com/{id}", "https://example.com/{?id}", "https://example.com/{id}/%7Bx%7D", "https://example.com/${id}", "https://example.com/%{id}"}),
		}
		if w.yes() {
			params["example_input"] = pick(w, []string{"#1", "T-AB1", "a/1", "none"})
			params["reverse_template"] = pick(w, []string{"#{id}", "T-{id}", "{org}/{id}"})
		}
		if w.yes() {
			params["alternative_url_templates"] = rapid.SliceOfN(rapid.SampledFrom([]string{"https://example.org/{id}", "https://example.net/${id}", "https://example.net/%{id}?q=\"1\""}), 0, 3).Draw(w.T, "templates")
		}
		w.call("POST", "/realm/filters", params)
	})
	linkifiers := ids(w, func(o *rules.Organization) *rules.Table[rules.Linkifier] { return o.Linkifiers }, nil)
	if len(linkifiers) > 0 && w.yes() {
		w.call("PATCH", "/realm/linkifiers", map[string]any{"ordered_linkifier_ids": rapid.Permutation(linkifiers).Draw(w.T, "order")})
	}
	w.times(3, func() {
		w.call("POST", "/realm/playgrounds", map[string]any{
			"name": w.name(), "pygments_language": pick(w, []string{"Python", "python", "C++", "🐍", "a b"}),
			"url_template": pick(w, []string{"https://example.com/{code}", "https://example.com/?c=${code}", "https://example.com/%{code}"}),
		})
	})
	w.times(3, func() { w.emoji(pick(w, []string{"party", "7up", "a-b", "a_b", "tada", "x", "for", "true"})) })
	w.times(3, func() {
		w.call("POST", "/realm/domains", map[string]any{"domain": pick(w, []string{"example.org", "a.example.org", "Example.net", "7.example.org", "xn--bcher-kva.example"}), "allow_subdomains": w.yes()})
	})
	for _, to := range []struct {
		path   string
		fields map[string]string
	}{{"/realm/icon", nil}, {"/realm/logo", map[string]string{"night": "false"}}, {"/realm/logo", map[string]string{"night": "true"}}} {
		w.times(2, func() { w.upload(to.path, w.number(1, 9), to.fields) })
	}
	// One invitation each: a plan revokes a second one of the same email.
	emails := []string{pick(w, []string{"nadia@example.net", "Nadia@Example.net"}), "o'brien@example.net", "7@example.net"}
	w.times(len(emails), func() {
		email := emails[0]
		emails = emails[1:]
		params := map[string]any{
			"invitee_emails": email,
			"invite_as":      pick(w, []int{100, 200, 300, 400, 600}), "stream_ids": w.some(w.channels(), 2), "notify_referrer_on_join": w.yes(),
		}
		if w.yes() {
			params["invite_expires_in_minutes"] = pick(w, []any{60, 14400, nil})
		}
		w.call("POST", "/invites", params)
	})
	w.times(3, func() {
		params := map[string]any{"invite_as": pick(w, []int{100, 200, 300, 400, 600}), "stream_ids": w.some(w.channels(), 2)}
		if w.yes() {
			params["invite_expires_in_minutes"] = pick(w, []any{60, 14400, nil, 1})
		}
		if w.seldom() {
			params["welcome_message_custom_text"] = w.name()
		}
		w.call("POST", "/invites/multiuse", params)
	})
}

func (w *world) fillFields() {
	w.times(5, func() {
		params := map[string]any{
			"name": w.name(), "hint": w.text(), "field_type": w.number(1, 8),
			"required": w.seldom(), "editable_by_user": w.yes(), "display_in_profile_summary": w.seldom(), "use_for_user_matching": w.seldom(),
		}
		switch params["field_type"] {
		case rules.FieldSelect:
			choices := map[string]any{}
			w.times(4, func() {
				choices[fmt.Sprint(len(choices))] = map[string]string{"text": w.name(), "order": fmt.Sprint(len(choices) + 1)}
			})
			params["field_data"] = choices
		case rules.FieldExternal:
			params["field_data"] = pick(w, []map[string]string{{"subtype": "github"}, {"subtype": "twitter"}, {"subtype": "custom", "url_pattern": "https://example.com/${x}/%(username)s"}})
		}
		w.call("POST", "/realm/profile_fields", params)
	})
	fields := ids(w, func(o *rules.Organization) *rules.Table[rules.ProfileField] {
		return o.ProfileFields
	}, nil)
	if len(fields) > 0 && w.yes() {
		w.call("PATCH", "/realm/profile_fields", map[string]any{"order": rapid.Permutation(fields).Draw(w.T, "order")})
	}
}

func (w *world) fillRealm() {
	w.times(4, func() { w.call("PATCH", "/realm", w.permissions(rules.RealmPermissions, 2, true)) })
	w.times(12, func() { w.call("PATCH", "/realm", w.setting()) })
	w.times(6, func() {
		s := pick(w, rules.UserSettings)
		var value any = w.yes()
		switch {
		case len(s.Numbers) > 0:
			value = pick(w, s.Numbers)
		case len(s.Words) > 0:
			value = pick(w, s.Words)
		case s.Name == "notification_sound":
			value = pick(w, rules.NotificationSounds)
		case fmt.Sprintf("%T", s.Default) == "int":
			value = w.number(10, 200)
		}
		w.call("PATCH", "/realm/user_settings_defaults", map[string]any{s.Name: value})
	})
}

// setting is a change of one setting of the organization.
func (w *world) setting() map[string]any {
	switch w.number(0, 8) {
	case 0:
		s := pick(w, rules.RealmTexts)
		switch s.Name {
		case "default_avatar_source":
			return map[string]any{s.Name: pick(w, []string{"G", "J"})}
		case "default_language":
			return map[string]any{s.Name: pick(w, []string{"de", "pt-br", "en"})}
		case "default_code_block_language":
			return map[string]any{s.Name: pick(w, []string{"python", "Python", "C++"})}
		}
		return map[string]any{s.Name: w.name()}
	case 1:
		s := pick(w, rules.RealmNumbers)
		return map[string]any{s.NameAt(w.server.FeatureLevel()): pick(w, []int{0, 1, 2, 3, 4, 100, 150})}
	case 2:
		s := pick(w, rules.RealmPolicies)
		return map[string]any{s.Name: pick(w, slices.Sorted(maps.Keys(s.Numbers)))}
	case 3:
		return map[string]any{pick(w, rules.RealmTimeLimits).Name: pick(w, []any{60, 3600, `"unlimited"`})}
	case 4:
		return map[string]any{pick(w, rules.RealmChannels).Name: pick(w, append(w.channels(), -1))}
	case 5:
		return map[string]any{"message_retention_days": pick(w, []any{30, 1, `"unlimited"`})}
	case 6:
		return map[string]any{"jitsi_server_url": pick(w, []any{`"default"`, `"https://meet.example.com/${x}"`, `""`})}
	case 7:
		return map[string]any{"authentication_methods": map[string]bool{pick(w, []string{"GitHub", "Google", "Dev", "LDAP"}): w.yes()}}
	}
	return map[string]any{pick(w, rules.RealmFlags).Name: w.yes()}
}

// takeAway deactivates and archives some named objects.
func (w *world) takeAway() {
	for _, id := range w.people() {
		if w.seldom() && id != w.owner.ID {
			w.call("DELETE", path("/users/%d", id), nil)
			w.call("DELETE", path("/bots/%d", id), nil)
		}
	}
	for _, id := range w.ownGroups() {
		if w.seldom() {
			w.call("POST", path("/user_groups/%d/deactivate", id), nil)
		}
	}
	for _, id := range w.channels() {
		if w.seldom() {
			w.call("DELETE", path("/streams/%d", id), nil)
		}
	}
	for _, id := range ids(w, folders, nil) {
		if w.seldom() {
			w.call("PATCH", path("/channel_folders/%d", id), map[string]any{"is_archived": true})
		}
	}
	for _, bot := range ids(w, users, func(u rules.User) bool { return u.IsBot && u.Active }) {
		if w.yes() {
			setting := pick(w, []string{"default_sending_stream", "default_events_register_stream"})
			w.call("PATCH", path("/bots/%d", bot), map[string]any{setting: w.channelName(pick(w, append(w.channels(), 0)))})
		}
		if w.seldom() {
			w.call("PATCH", path("/bots/%d", bot), map[string]any{"default_all_public_streams": true, "role": pick(w, []int{200, 400, 600})})
		}
	}
}
