package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Tests of several channels in one call (server-behavior §S2), if they differ from single calls.

// makeMany creates channels with the same settings in one call.
func makeMany(t *testing.T, s *Server, as string, names []string, settings map[string]any) response {
	t.Helper()
	params := map[string]any{}
	var wanted []any
	for _, name := range names {
		wanted = append(wanted, map[string]any{"name": name, "description": "About " + name})
	}
	params["subscriptions"] = wanted
	for name, value := range settings {
		params[name] = value
	}
	return ask(t, s, as, "POST", "/users/me/subscriptions", params)
}

// posted lists the messages in a channel.
func posted(t *testing.T, s *Server, as, channel string) []string {
	t.Helper()
	query := fmt.Sprintf(`anchor=newest&num_before=100&apply_markdown=false&narrow=[{"operator":"channel","operand":%q}]`, channel)
	got := must(t, s, as, "GET", "/messages", queryParams(t, query))
	var texts []string
	for _, m := range got.body["messages"].([]any) {
		texts = append(texts, m.(map[string]any)["content"].(string))
	}
	return texts
}

func TestManyChannels_OneInvalid_NoneCreated(t *testing.T) {
	for what, test := range map[string]struct {
		as       string
		bad      string
		settings map[string]any
		says     string
	}{
		"a name that cannot be":       {as: "owner", bad: "a\x07b", says: "Invalid character in channel name, at position 2."},
		"no name":                     {as: "owner", bad: " ", says: "Channel name can't be empty."},
		"a name that is too long":     {as: "owner", bad: strings.Repeat("x", 61), says: "Channel name too long (limit: 60 characters)."},
		"a channel out of reach":      {as: "member", bad: "leads", says: "Unable to access channel (leads)."},
		"somebody who is not here":    {as: "owner", bad: "fine", settings: map[string]any{"principals": []int{999999}}, says: "No such user"},
		"a setting nobody may give":   {as: "member", bad: "fine", settings: map[string]any{"message_retention_days": 30}, says: "Must be an organization owner"},
		"the name is looked at first": {as: "member", bad: " ", settings: map[string]any{"message_retention_days": 30}, says: "Channel name can't be empty."},
	} {
		t.Run(what, func(t *testing.T) {
			s := start(t, Config{})
			got := makeMany(t, s, test.as, []string{"first", test.bad, "last"}, test.settings)
			if got.status != http.StatusBadRequest || got.body["msg"] != test.says {
				t.Errorf("answered %d %s", got.status, got.text)
			}
			for _, name := range []string{"first", "last"} {
				if _, ok := s.Organization().Channel(name); ok {
					t.Errorf("%q was made", name)
				}
			}
		})
	}
}

func TestManyChannels_ExistingNames_Joined(t *testing.T) {
	s := start(t, Config{})
	archived := createdChannel(t, s, "owner", "archived")
	must(t, s, "owner", "DELETE", fmt.Sprintf("/streams/%d", archived), nil)
	member := s.AllCredentials()["member"]
	must(t, s, "member", "DELETE", "/users/me/subscriptions", map[string]any{"subscriptions": []string{"general"}})

	names := []string{"new", "General", "archived"}
	got := makeMany(t, s, "owner", names, map[string]any{"invite_only": true, "principals": []int{member.ID}})
	if got.status != http.StatusOK {
		t.Fatalf("answered %d %s", got.status, got.text)
	}
	// The answer does not distinguish created from existing channels, and has no IDs.
	joined := got.body["subscribed"].(map[string]any)[fmt.Sprint(member.ID)].([]any)
	if len(joined) != 3 || len(got.body) != 5 {
		t.Errorf("answered %s", got.text)
	}
	made, _ := s.Organization().Channel("new")
	if !made.Private || !slices.Equal(made.Subscribers, []string{member.Email}) {
		t.Errorf("made %+v", made)
	}
	general, _ := s.Organization().Channel("general")
	if general.Private || !slices.Contains(general.Subscribers, member.Email) {
		t.Errorf("general is %+v", general)
	}
	if again, _ := s.Organization().Channel("archived"); !again.Archived {
		t.Error("the archived channel was taken back")
	}
}

func TestManyChannels_NoPrincipals_CreatorSubscribed(t *testing.T) {
	s := start(t, Config{})
	must(t, s, "owner", "PATCH", "/realm", map[string]any{"send_channel_events_messages": true})
	for _, settings := range []map[string]any{nil, {"principals": []int{}}} {
		name := fmt.Sprint("many ", len(settings))
		if got := makeMany(t, s, "owner", []string{name}, settings); got.status != http.StatusOK {
			t.Fatalf("answered %d %s", got.status, got.text)
		}
		if made, _ := s.Organization().Channel(name); len(made.Subscribers) != 1 {
			t.Errorf("in the channel: %v, want who made it", made.Subscribers)
		}
		if notices := posted(t, s, "owner", name); len(notices) != 1 || !strings.Contains(notices[0], "**Public** channel created by") {
			t.Errorf("posted in it: %q", notices)
		}
	}
	createdChannel(t, s, "owner", "one")
	if made, _ := s.Organization().Channel("one"); len(made.Subscribers) != 0 {
		t.Errorf("in the channel: %v, want nobody", made.Subscribers)
	}
	if notices := posted(t, s, "owner", "one"); len(notices) != 0 {
		t.Errorf("posted in it: %q", notices)
	}
}

func TestManyChannels_Created_OneAnnouncement(t *testing.T) {
	s := start(t, Config{})
	announcements, _ := s.Organization().Channel("announcements")
	must(t, s, "owner", "PATCH", "/realm", map[string]any{"new_stream_announcements_stream_id": announcements.ID})
	before := len(posted(t, s, "owner", "announcements"))
	if got := makeMany(t, s, "owner", []string{"a", "b"}, map[string]any{"announce": true}); got.status != http.StatusOK {
		t.Fatalf("answered %d %s", got.status, got.text)
	}
	self := s.AllCredentials()["owner"].ID
	for _, name := range []string{"c", "d"} {
		must(t, s, "owner", "POST", "/channels/create", map[string]any{"name": name, "subscribers": []int{self}, "announce": true})
	}
	notices := posted(t, s, "owner", "announcements")[before:]
	if len(notices) != 3 || !strings.Contains(notices[0], "created the following channels: #**a**, #**b**.") || !strings.Contains(notices[1], "created a new channel #**c**.") {
		t.Errorf("announced: %q", notices)
	}
}

func TestManyChannels_Permissions_AllSet(t *testing.T) {
	s := start(t, Config{})
	self := s.AllCredentials()["owner"].ID
	settings := map[string]any{}
	for _, name := range []string{
		"can_add_subscribers_group", "can_administer_channel_group", "can_create_topic_group", "can_delete_any_message_group", "can_delete_own_message_group",
		"can_move_messages_out_of_channel_group", "can_move_messages_within_channel_group", "can_remove_subscribers_group", "can_resolve_topics_group",
		"can_send_message_group", "can_subscribe_group",
	} {
		settings[name] = map[string]any{"direct_members": []int{self}, "direct_subgroups": []int{}}
	}
	if got := makeMany(t, s, "owner", []string{"many"}, settings); got.status != http.StatusOK {
		t.Fatalf("answered %d %s", got.status, got.text)
	}
	one := map[string]any{"name": "one", "subscribers": []int{self}}
	for name, value := range settings {
		one[name] = value
	}
	must(t, s, "owner", "POST", "/channels/create", one)
	// The call for one channel drops three of them (server-behavior §C8).
	dropped := []string{"can_create_topic_group", "can_delete_any_message_group", "can_delete_own_message_group"}
	many, _ := s.Organization().Channel("many")
	single, _ := s.Organization().Channel("one")
	for name := range settings {
		if want := []string{"user:ines.moreau@example.com"}; !slices.Equal(many.Permissions[name], want) {
			t.Errorf("%s of one of many is %v", name, many.Permissions[name])
		} else if kept := slices.Equal(single.Permissions[name], want); kept == slices.Contains(dropped, name) {
			t.Errorf("%s of a single one is %v", name, single.Permissions[name])
		}
	}
}
