package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// world draws requests about objects that the server has, and about missing ones.
type world struct {
	*sequence
	draw *rapid.T
}

// some draws a list of numbers of a table.
func some[T any](w world, table func(*rules.Organization) *rules.Table[T], most int) []int {
	return rapid.SliceOfN(rapid.SampledFrom(idsOf(w, table)), 0, most).Draw(w.draw, "ids")
}

func one[T any](w world, table func(*rules.Organization) *rules.Table[T]) int {
	return rapid.SampledFrom(idsOf(w, table)).Draw(w.draw, "id")
}

// idsOf are the numbers of a table, and an unused one.
func idsOf[T any](w world, table func(*rules.Organization) *rules.Table[T]) []int {
	ids := []int{999999}
	w.replay.server.Organization().Read(func(o *rules.Organization) {
		for id := range table(o).All() {
			ids = append(ids, id)
		}
	})
	return ids
}

// groupIDs are the IDs of all groups. The custom groups occur several times, because most faults are about them.
func groupIDs(w world) []int {
	ids := idsOf(w, groups)
	w.replay.server.Organization().Read(func(o *rules.Organization) {
		for id, group := range o.Groups.All() {
			if !group.System {
				ids = append(ids, id, id, id, id, id, id)
			}
		}
	})
	return ids
}

func oneGroup(w world) int { return rapid.SampledFrom(groupIDs(w)).Draw(w.draw, "group") }

func someGroups(w world, most int) []int {
	return rapid.SliceOfN(rapid.SampledFrom(groupIDs(w)), 0, most).Draw(w.draw, "groups")
}

func people(o *rules.Organization) *rules.Table[rules.User] { return o.Users }

func groups(o *rules.Organization) *rules.Table[rules.UserGroup] {
	return o.Groups
}

func channels(o *rules.Organization) *rules.Table[rules.Channel] {
	return o.Channels
}

func folders(o *rules.Organization) *rules.Table[rules.Folder] { return o.Folders }

func (w world) word(words ...string) string {
	return rapid.SampledFrom(words).Draw(w.draw, "word")
}

func (w world) yes() bool { return rapid.Bool().Draw(w.draw, "yes") }

// value draws a group-setting value in either form.
func (w world) value() any {
	if groups := w.deactivatedGroups(); len(groups) > 0 && w.yes() {
		return map[string]any{"direct_members": some(w, people, 1), "direct_subgroups": append(someGroups(w, 1), groups[0])}
	}
	if w.yes() {
		return oneGroup(w)
	}
	return map[string]any{"direct_members": some(w, people, 2), "direct_subgroups": someGroups(w, 2)}
}

// deactivatedGroups are the deactivated groups: a new value must not name one.
func (w world) deactivatedGroups() []int {
	var ids []int
	w.replay.server.Organization().Read(func(o *rules.Organization) {
		for id, group := range o.Groups.All() {
			if group.Deactivated {
				ids = append(ids, id)
			}
		}
	})
	return ids
}

// permission draws a change of one of the settings.
func (w world) permission(all []rules.Permission) map[string]any {
	writable := slices.DeleteFunc(slices.Clone(all), func(p rules.Permission) bool { return p.Unwritable })
	name := rapid.SampledFrom(writable).Draw(w.draw, "permission").Name
	return map[string]any{name: map[string]any{"new": w.value()}}
}

// channelName draws the name of an existing channel, or an unused name.
func (w world) channelName() string {
	names := []string{"nowhere"}
	for _, c := range w.replay.server.Organization().Channels() {
		names = append(names, c.Name)
	}
	return w.word(names...)
}

// asked is one random request. It never changes two things if the server could keep only the first.
type asked struct {
	method, path string
	params       map[string]any
}

// mayBreakServer reports whether a real server may fail instead of refusing. Another folder may have the name of an
// archived folder when it is unarchived (server-behavior §F3).
func (a asked) mayBreakServer() bool {
	return strings.HasPrefix(a.path, "/channel_folders/") && a.params["is_archived"] == false
}

// requests draws one request for each kind of object, by its name.
var requests = map[string]func(world) asked{
	"create group": func(w world) asked {
		params := map[string]any{"name": w.word("ops", "Ops", "qa", "qa2", "role:x", " "), "description": "d", "members": some(w, people, 3), "subgroups": someGroups(w, 2)}
		if w.yes() {
			params[rapid.SampledFrom(rules.GroupPermissions).Draw(w.draw, "permission").Name] = w.value()
		}
		return asked{"POST", "/user_groups/create", params}
	},
	"change group": func(w world) asked {
		path := fmt.Sprint("/user_groups/", oneGroup(w))
		return rapid.SampledFrom([]asked{
			{"PATCH", path, map[string]any{"name": w.word("ops", "Ops", "qa", "new", "")}},
			{"PATCH", path, map[string]any{"deactivated": false}},
			{"PATCH", path, w.permission(rules.GroupPermissions)},
			{"POST", path + "/members", map[string]any{w.word("add", "delete"): some(w, people, 3)}},
			{"POST", path + "/members", map[string]any{"add": some(w, people, 2), "add_subgroups": someGroups(w, 2)}},
			{"POST", path + "/subgroups", map[string]any{w.word("add", "delete"): someGroups(w, 2)}},
			{"POST", path + "/subgroups", map[string]any{"add": someGroups(w, 2)}},
			{"POST", path + "/deactivate", nil},
		}).Draw(w.draw, "change")
	},
	"folder": func(w world) asked {
		path := fmt.Sprint("/channel_folders/", one(w, folders))
		return rapid.SampledFrom([]asked{
			{"POST", "/channel_folders/create", map[string]any{"name": w.word("Work", "work", "Play", ""), "description": "d"}},
			{"PATCH", path, map[string]any{"name": w.word("Work", "work", "Other", "")}},
			{"PATCH", path, map[string]any{"is_archived": w.yes()}},
			{"PATCH", "/channel_folders", map[string]any{"order": rapid.Permutation(idsOf(w, folders)[1:]).Draw(w.draw, "order")}},
			{"PATCH", "/channel_folders", map[string]any{"order": some(w, folders, 3)}},
		}).Draw(w.draw, "folder")
	},
	"channel": func(w world) asked {
		path := fmt.Sprint("/streams/", one(w, channels))
		return rapid.SampledFrom([]asked{
			{"POST", "/channels/create", map[string]any{"name": w.word("new", "New", "other", "general"), "subscribers": some(w, people, 3), "folder_id": one(w, folders)}},
			{"PATCH", path, map[string]any{"folder_id": one(w, folders)}},
			{"PATCH", path, map[string]any{"folder_id": nil}},
			{"PATCH", path, map[string]any{"is_private": w.yes()}},
			{"PATCH", path, map[string]any{"is_default_stream": w.yes()}},
			{"PATCH", path, map[string]any{"is_archived": false}},
			{"PATCH", path, map[string]any{"new_name": w.word("new", "General", "renamed")}},
			{"PATCH", path, w.permission(rules.ChannelPermissions)},
			{"DELETE", path, nil},
			{w.word("POST", "DELETE"), "/default_streams", map[string]any{"stream_id": one(w, channels)}},
		}).Draw(w.draw, "channel")
	},
	"subscription": func(w world) asked {
		who := map[string]any{"principals": some(w, people, 3)}
		if w.yes() {
			who["subscriptions"] = []any{map[string]any{"name": w.channelName()}}
			return asked{"POST", "/users/me/subscriptions", who}
		}
		who["subscriptions"] = []any{w.channelName()}
		return asked{"DELETE", "/users/me/subscriptions", who}
	},
	"organization": func(w world) asked {
		return asked{"PATCH", "/realm", rapid.SampledFrom([]map[string]any{
			w.permission(rules.RealmPermissions),
			{"waiting_period_threshold": rapid.IntRange(-1, 3).Draw(w.draw, "days")},
			{"new_stream_announcements_stream_id": one(w, channels)},
			{"moderation_request_channel_id": one(w, channels)},
			{"name": w.word("A", "B", strings.Repeat("x", 41))},
			{"require_unique_names": w.yes()},
		}).Draw(w.draw, "setting")}
	},
	"profile field, playground, domain": func(w world) asked {
		fields := idsOf(w, func(o *rules.Organization) *rules.Table[rules.ProfileField] {
			return o.ProfileFields
		})
		playground := one(w, func(o *rules.Organization) *rules.Table[rules.Playground] { return o.Playgrounds })
		field := fmt.Sprint("/realm/profile_fields/", rapid.SampledFrom(fields).Draw(w.draw, "field"))
		domain := w.word("a.example.org", "A.example.org", "b.example.org", "no domain")
		return rapid.SampledFrom([]asked{
			{"POST", "/realm/profile_fields", map[string]any{"name": w.word("Team", "Team ", "team", ""), "field_type": rapid.IntRange(0, 9).Draw(w.draw, "type")}},
			{"PATCH", field, map[string]any{"name": w.word("Team", "Shift", "")}},
			{"PATCH", field, map[string]any{"display_in_profile_summary": w.yes()}},
			{"DELETE", field, nil},
			{"PATCH", "/realm/profile_fields", map[string]any{"order": rapid.Permutation(fields[1:]).Draw(w.draw, "order")}},
			{"POST", "/realm/playgrounds", map[string]any{"name": w.word("P", "Q", ""), "pygments_language": w.word("Python", "Rust", "<"), "url_template": w.word("https://example.com/{code}", "no")}},
			{"DELETE", fmt.Sprint("/realm/playgrounds/", playground), nil},
			{"POST", "/realm/domains", map[string]any{"domain": domain, "allow_subdomains": w.yes()}},
			{"PATCH", "/realm/domains/" + domain, map[string]any{"allow_subdomains": w.yes()}},
			{"DELETE", "/realm/domains/" + domain, nil},
		}).Draw(w.draw, "kind")
	},
	"person or bot": func(w world) asked {
		id := one(w, people)
		if owner, _ := w.replay.server.Credentials("owner"); id == owner.ID {
			id = 999999 // reads everything at the end
		}
		return rapid.SampledFrom([]asked{
			{"POST", "/bots", map[string]any{"full_name": w.word("Echo", "Ping"), "short_name": w.word("echo", "ping", "echo2")}},
			{"PATCH", fmt.Sprint("/bots/", id), map[string]any{"bot_owner_id": one(w, people)}},
			{"PATCH", fmt.Sprint("/bots/", id), map[string]any{"full_name": w.word("Echo", "Ping", "Other")}},
			{"PATCH", fmt.Sprint("/bots/", id), map[string]any{"default_sending_stream": w.channelName()}},
			{"DELETE", fmt.Sprint("/bots/", id), nil},
			{"DELETE", fmt.Sprint("/users/", id), nil},
			{"POST", fmt.Sprintf("/users/%d/reactivate", id), nil},
			{"POST", fmt.Sprintf("/users/%d/reactivate", id), nil},
			{"PATCH", fmt.Sprint("/users/", id), map[string]any{"role": rapid.SampledFrom([]int{100, 200, 300, 400, 600, 500}).Draw(w.draw, "role")}},
		}).Draw(w.draw, "person")
	},
	"emoji, default": func(w world) asked {
		group := one(w, func(o *rules.Organization) *rules.Table[rules.DefaultChannelGroup] {
			return o.DefaultChannelGroups
		})
		return rapid.SampledFrom([]asked{
			{"DELETE", "/realm/emoji/" + w.word("party", "car"), nil},
			{"PATCH", "/realm/user_settings_defaults", map[string]any{"color_scheme": rapid.IntRange(0, 4).Draw(w.draw, "scheme")}},
			{"POST", "/default_stream_groups/create", map[string]any{"group_name": w.word("dev", "ops"), "description": "d", "stream_names": []string{w.channelName()}}},
			{"PATCH", fmt.Sprintf("/default_stream_groups/%d/streams", group), map[string]any{"op": w.word("add", "remove"), "stream_names": []string{w.channelName()}}},
			{"DELETE", fmt.Sprint("/default_stream_groups/", group), nil},
		}).Draw(w.draw, "kind")
	},
}
