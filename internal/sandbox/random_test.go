package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/organization"
)

// callers are the accounts of the example organization, of every role.
var callers = []string{"owner", "admin", "moderator", "member", "member2", "guest", "bot"}

// world draws requests about what a server holds now, and about what it does not.
type world struct {
	*sequence
	draw *rapid.T
}

// some draws a list of numbers of a table.
func some[T any](w world, table func(*organization.Organization) *organization.Table[T], most int) []int {
	return rapid.SliceOfN(rapid.SampledFrom(idsOf(w, table)), 0, most).Draw(w.draw, "ids")
}

func one[T any](w world, table func(*organization.Organization) *organization.Table[T]) int {
	return rapid.SampledFrom(idsOf(w, table)).Draw(w.draw, "id")
}

// idsOf are the numbers of a table, and one that nothing has.
func idsOf[T any](w world, table func(*organization.Organization) *organization.Table[T]) []int {
	ids := []int{999999}
	w.replay.server.Organization().Read(func(o *organization.Organization) {
		for id := range table(o).All() {
			ids = append(ids, id)
		}
	})
	return ids
}

// groupIDs are those of all groups, the ones that people have made several times: what can go wrong happens between them.
func groupIDs(w world) []int {
	ids := idsOf(w, groups)
	w.replay.server.Organization().Read(func(o *organization.Organization) {
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

func people(o *organization.Organization) *organization.Table[organization.User] { return o.Users }
func groups(o *organization.Organization) *organization.Table[organization.UserGroup] {
	return o.Groups
}
func channels(o *organization.Organization) *organization.Table[organization.Channel] {
	return o.Channels
}
func folders(o *organization.Organization) *organization.Table[organization.Folder] { return o.Folders }

func (w world) word(words ...string) string {
	return rapid.SampledFrom(words).Draw(w.draw, "word")
}

func (w world) yes() bool { return rapid.Bool().Draw(w.draw, "yes") }

// value draws a group-setting value in either form.
func (w world) value() any {
	if retired := w.retired(); len(retired) > 0 && w.yes() {
		return map[string]any{"direct_members": some(w, people, 1), "direct_subgroups": append(someGroups(w, 1), retired[0])}
	}
	if w.yes() {
		return oneGroup(w)
	}
	return map[string]any{"direct_members": some(w, people, 2), "direct_subgroups": someGroups(w, 2)}
}

// retired are the groups that are deactivated: no value may begin to name one.
func (w world) retired() []int {
	var ids []int
	w.replay.server.Organization().Read(func(o *organization.Organization) {
		for id, group := range o.Groups.All() {
			if group.Deactivated {
				ids = append(ids, id)
			}
		}
	})
	return ids
}

// permission draws a change of one of the settings.
func (w world) permission(all []organization.Permission) map[string]any {
	writable := slices.DeleteFunc(slices.Clone(all), func(p organization.Permission) bool { return p.Unwritable })
	name := rapid.SampledFrom(writable).Draw(w.draw, "permission").Name
	return map[string]any{name: map[string]any{"new": w.value()}}
}

// channelName draws the name of a channel that is there, or of none.
func (w world) channelName() string {
	names := []string{"nowhere"}
	for _, c := range w.replay.server.Organization().Channels() {
		names = append(names, c.Name)
	}
	return w.word(names...)
}

// asked is one random request. None changes two things of which the server would keep the first.
type asked struct {
	method, path string
	params       map[string]any
}

// breaksTheServer is whether a real server may fail instead of refusing: the name of an archived folder may be taken by the
// time it is unarchived (server-behavior §F3).
func (a asked) breaksTheServer() bool {
	return strings.HasPrefix(a.path, "/channel_folders/") && a.params["is_archived"] == false
}

// requests draws one request for each kind of object, by its name.
var requests = map[string]func(world) asked{
	"create group": func(w world) asked {
		params := map[string]any{"name": w.word("ops", "Ops", "qa", "qa2", "role:x", " "), "description": "d", "members": some(w, people, 3), "subgroups": someGroups(w, 2)}
		if w.yes() {
			params[rapid.SampledFrom(organization.GroupPermissions).Draw(w.draw, "permission").Name] = w.value()
		}
		return asked{"POST", "/user_groups/create", params}
	},
	"change group": func(w world) asked {
		path := fmt.Sprint("/user_groups/", oneGroup(w))
		return rapid.SampledFrom([]asked{
			{"PATCH", path, map[string]any{"name": w.word("ops", "Ops", "qa", "new", "")}},
			{"PATCH", path, map[string]any{"deactivated": false}},
			{"PATCH", path, w.permission(organization.GroupPermissions)},
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
			{"PATCH", path, w.permission(organization.ChannelPermissions)},
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
			w.permission(organization.RealmPermissions),
			{"waiting_period_threshold": rapid.IntRange(-1, 3).Draw(w.draw, "days")},
			{"new_stream_announcements_stream_id": one(w, channels)},
			{"moderation_request_channel_id": one(w, channels)},
			{"name": w.word("A", "B", strings.Repeat("x", 41))},
			{"require_unique_names": w.yes()},
		}).Draw(w.draw, "setting")}
	},
	"profile field, playground, domain": func(w world) asked {
		fields := idsOf(w, func(o *organization.Organization) *organization.Table[organization.ProfileField] {
			return o.ProfileFields
		})
		playground := one(w, func(o *organization.Organization) *organization.Table[organization.Playground] { return o.Playgrounds })
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
			id = 999999 // who looks at everything in the end
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
		group := one(w, func(o *organization.Organization) *organization.Table[organization.DefaultChannelGroup] {
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

// Whatever anybody asks of an organization, its rules hold, and what was refused changed nothing. Requests about what has to
// do with each other come together, so that they meet.
func TestOrganizationSequences(t *testing.T) {
	for about, kinds := range map[string][]string{
		"groups":        {"create group", "change group", "person or bot"},
		"permissions":   {"change group", "organization", "channel", "person or bot"},
		"folders":       {"folder", "channel"},
		"subscriptions": {"subscription", "channel", "person or bot"},
		"the rest":      {"profile field, playground, domain", "emoji, default", "channel", "organization"},
	} {
		t.Run(about, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := newSequence(t)
				actions := map[string]func(*rapid.T){"": s.inOrder}
				for _, kind := range kinds {
					actions[kind] = func(t *rapid.T) { s.step(t, requests[kind](world{s, t})) }
				}
				t.Repeat(actions)
				s.sameEverywhere(t)
			})
		})
	}
}

// inOrder wants every invariant to hold.
func (s *sequence) inOrder(t *rapid.T) {
	s.replay.server.Organization().Read(func(o *organization.Organization) {
		for name, wrong := range invariants {
			if text := wrong(o); text != "" {
				t.Fatalf("%s: %s", name, text)
			}
		}
	})
}

// step asks, and compares the whole organization before and after.
func (s *sequence) step(t *rapid.T, a asked) {
	who := rapid.SampledFrom(append(slices.Clone(callers), "owner", "owner", "owner", "owner", "admin", "admin")).Draw(t, "who")
	before := s.last
	if before.rows == nil {
		before = s.look()
	}
	answer, err := s.replay.ask(newExchange(who, a.method, a.path, a.params))
	if err != nil {
		t.Fatal(err)
	}
	done := answer.status == http.StatusOK
	s.last = s.look()
	words := fmt.Sprintf("%s: %s %s %v: %d %s", who, a.method, a.path, a.params, answer.status, answer.text)
	if answer.status >= http.StatusInternalServerError && !a.breaksTheServer() {
		t.Fatal(words)
	}
	if !done {
		if difference := before.rows.difference(s.last.rows); difference != "" {
			t.Fatalf("%s\nwas refused, and changed something:\n%s", words, difference)
		}
		return
	}
	for id := range before.rows["Folders"] {
		if archived, inUse := folderAfter(s, id); archived && inUse && !strings.Contains(before.rows["Folders"][id], `"archived":true`) {
			t.Fatalf("%s\narchived the folder %d, which has channels", words, id)
		}
	}
	for use := range s.last.uses {
		if !before.uses[use] && !allowed(use, before.out, s.last.out) {
			t.Fatalf("%s\nbegan to use what is out of use: %s", words, use)
		}
	}
}

// folderAfter reports whether a folder is archived now, and whether a channel is in it.
func folderAfter(s *sequence, id int) (archived, inUse bool) {
	s.replay.server.Organization().Read(func(o *organization.Organization) {
		f, _ := o.Folders.Get(id)
		archived = f.Archived
		for _, c := range o.Channels.All() {
			inUse = inUse || c.FolderID != nil && *c.FolderID == id
		}
	})
	return archived, inUse
}

// seen is an organization between two requests: its rows, which of them use what is out of use, and what is.
type seen struct {
	rows whole
	uses uses
	out  map[string]bool
}

// look reads everything.
func (s *sequence) look() (now seen) {
	s.replay.server.Organization().Read(func(o *organization.Organization) {
		out := map[string]bool{}
		now = seen{wholeOf(o), usesOf(o), out}
		for id, u := range o.Users.All() {
			out[fmt.Sprint("person ", id)] = !u.Active
		}
		for id, g := range o.Groups.All() {
			out[fmt.Sprint("group ", id)] = g.Deactivated
		}
		for id, c := range o.Channels.All() {
			out[fmt.Sprint("channel ", id)] = c.Archived
		}
	})
	return now
}

// allowed is whether a use may come about: the person was deactivated just now, or the user was taken back into use.
func allowed(use string, before, after map[string]bool) bool {
	place, what, _ := strings.Cut(use, ": ")
	user := strings.Join(strings.Fields(place)[:min(2, len(strings.Fields(place)))], " ")
	if before[user] && !after[user] {
		return true
	}
	return strings.HasPrefix(what, "person ") && !before[what] && after[what]
}

// sameEverywhere wants the snapshot to say of everything what the call for it alone says.
func (s *sequence) sameEverywhere(t *rapid.T) {
	get := func(path, field string, params map[string]any) any {
		x := newExchange("owner", "GET", path, nil)
		x.Query = params
		answer, done := s.send(x)
		if !done {
			t.Fatalf("GET %s: %s", path, answer.text)
		}
		return answer.body[field]
	}
	for _, pair := range []struct {
		part, field, path, answer string
		params                    map[string]any
	}{
		{"realm_user_groups", "realm_user_groups", "/user_groups", "user_groups", nil},
		{"channel_folders", "channel_folders", "/channel_folders", "channel_folders", map[string]any{"include_archived": true}},
		{"custom_profile_fields", "custom_profile_fields", "/realm/profile_fields", "custom_fields", nil},
		{"realm_domains", "realm_domains", "/realm/domains", "domains", nil},
		{"realm_emoji", "realm_emoji", "/realm/emoji", "emoji", nil},
		{"subscription", "subscriptions", "/users/me/subscriptions", "subscriptions", nil},
	} {
		if in, alone := s.part(pair.part, pair.field), get(pair.path, pair.answer, pair.params); compactAll(in) != compactAll(alone) {
			t.Fatalf("%s: the snapshot says\n%s\nGET %s says\n%s", pair.field, compactAll(in), pair.path, compactAll(alone))
		}
	}
	s.systemGroups(t, get)
	s.people(t, get)
}

// systemGroups wants each to hold exactly the people of its role.
func (s *sequence) systemGroups(t *rapid.T, get func(string, string, map[string]any) any) {
	list, _ := get("/user_groups", "user_groups", nil).([]any)
	for _, item := range list {
		group := item.(map[string]any)
		name := group["name"].(string)
		if group["is_system_group"] != true {
			continue
		}
		want := []any{}
		s.replay.server.Organization().Read(func(o *organization.Organization) {
			for id, u := range o.Users.All() {
				in := map[string]bool{
					"role:owners": u.Role == 100, "role:administrators": u.Role == 200, "role:moderators": u.Role == 300,
					"role:members": u.Role == 400, "role:everyone": u.Role == 600,
					"role:fullmembers": u.Role == 400 && o.Settings().WaitingPeriodThreshold == 0, // everybody came just now
				}
				if u.Active && in[name] {
					want = append(want, float64(id))
				}
			}
		})
		if compactAll(group["members"]) != compactAll(want) {
			t.Fatalf("%s holds %v, not %v", name, group["members"], want)
		}
		if alone := get(fmt.Sprintf("/user_groups/%v/members", group["id"]), "members", map[string]any{"direct_member_only": true}); compactAll(alone) != compactAll(want) {
			t.Fatalf("%s holds %v, asked alone", name, alone)
		}
	}
}

// people wants each to be the same in the list of all and alone, and to be in the part of the snapshot for the active or
// the others.
func (s *sequence) people(t *rapid.T, get func(string, string, map[string]any) any) {
	where := map[any]bool{}
	for field, active := range map[string]bool{"realm_users": true, "realm_non_active_users": false} {
		list, _ := s.part("realm_user", field).([]any)
		for _, item := range list {
			where[item.(map[string]any)["user_id"]] = active
		}
	}
	list, _ := get("/users", "members", nil).([]any)
	for _, item := range list {
		person := item.(map[string]any)
		if alone := get(fmt.Sprintf("/users/%v", person["user_id"]), "user", nil); compactAll(alone) != compactAll(person) {
			t.Fatalf("GET /users says %v, alone %v", compactAll(person), compactAll(alone))
		}
		if active, ok := where[person["user_id"]]; !ok || active != person["is_active"] {
			t.Fatalf("the snapshot has %v among the active: %v", compactAll(person), active)
		}
	}
}
