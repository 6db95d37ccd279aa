package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// registerKeys is what a real server of feature level 442 answers to POST /register: the fields of each event type, or of
// several, and the JSON type of each field when all are asked for.
type registerKeys struct {
	Parts        map[string][]string `json:"parts"`
	Keys         map[string]string   `json:"keys"`
	UserSettings map[string]string   `json:"user_settings"`
}

func TestSnapshotHasTheServersFields(t *testing.T) {
	data, err := os.ReadFile("testdata/register-keys.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded registerKeys
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	s := start(t, Config{FeatureLevel: 442, Accounts: readRecording(t, "testdata/recordings/channels-create.json").Accounts})
	all := must(t, s, "owner", "POST", "/register", nil).body
	for what, pair := range map[string][2]map[string]string{
		"fields": {recorded.Keys, jsonTypes(all)}, "user_settings": {recorded.UserSettings, jsonTypes(all["user_settings"].(map[string]any))},
	} {
		for name, want := range pair[0] {
			if got := pair[1][name]; got != want {
				t.Errorf("%s: %s is %q, want %q", what, name, got, want)
			}
		}
		for name := range pair[1] {
			if _, ok := pair[0][name]; !ok {
				t.Errorf("%s: %s is not on the server", what, name)
			}
		}
	}
	common := jsonTypes(must(t, s, "owner", "POST", "/register", map[string]any{"event_types": []string{}}).body)
	for types, want := range recorded.Parts {
		body := must(t, s, "owner", "POST", "/register", map[string]any{"event_types": strings.Split(types, ",")}).body
		got := slices.Sorted(maps.Keys(body))
		got = slices.DeleteFunc(got, func(name string) bool { return common[name] != "" })
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", types, got, want)
		}
	}
}

func jsonTypes(object map[string]any) map[string]string {
	types := map[string]string{}
	for name, value := range object {
		switch value.(type) {
		case nil:
			types[name] = "null"
		case bool:
			types[name] = "boolean"
		case float64:
			types[name] = "number"
		case string:
			types[name] = "string"
		case []any:
			types[name] = "list"
		default:
			types[name] = "object"
		}
	}
	return types
}

func TestSnapshotOfUserSettings(t *testing.T) {
	s := start(t, Config{})
	must(t, s, "member", "PATCH", "/settings", map[string]any{"web_font_size_px": 20})
	for as, want := range map[string]float64{"member": 20, "member2": 16} {
		body := must(t, s, as, "POST", "/register", map[string]any{"event_types": []string{"user_settings"}}).body
		if got := body["user_settings"].(map[string]any)["web_font_size_px"]; got != want {
			t.Errorf("%s: %v, want %v", as, got, want)
		}
	}
}

func TestSnapshotOfNotificationSettings(t *testing.T) {
	s := start(t, Config{})
	general, _ := s.Organization().Channel("general")
	must(t, s, "member", "PATCH", fmt.Sprintf("/users/me/subscriptions/%d", general.ID), map[string]any{"property": "push_notifications", "value": "true"})
	must(t, s, "member", "PATCH", "/settings", map[string]any{"enable_stream_email_notifications": true})
	must(t, s, "member", "DELETE", "/users/me/subscriptions", map[string]any{"subscriptions": []string{"incidents"}})
	settings := func(list, channel string, params map[string]any) []any {
		params["event_types"] = []string{"subscription"}
		for _, row := range must(t, s, "member", "POST", "/register", params).body[list].([]any) {
			if row := row.(map[string]any); row["name"] == channel {
				return []any{row["push_notifications"], row["email_notifications"], row["desktop_notifications"], row["wildcard_mentions_notify"]}
			}
		}
		t.Fatalf("%s is not among %s", channel, list)
		return nil
	}
	able := map[string]any{"client_capabilities": map[string]any{"notification_settings_null": true}}
	for _, test := range []struct {
		list, channel string
		params        map[string]any
		want          []any
	}{
		{"subscriptions", "general", map[string]any{}, []any{true, true, false, nil}},
		{"subscriptions", "general", able, []any{true, nil, nil, nil}},
		{"unsubscribed", "incidents", map[string]any{}, []any{false, true, false, nil}},
		{"unsubscribed", "incidents", able, []any{nil, nil, nil, nil}},
	} {
		if got := settings(test.list, test.channel, test.params); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s with %v: %v, want %v", test.channel, test.params, got, test.want)
		}
	}
}

func TestSnapshotOfUnreadMessages(t *testing.T) {
	s := start(t, Config{})
	member, _ := s.Credentials("member")
	admin, _ := s.Credentials("admin")
	owner, _ := s.Credentials("owner")
	general, _ := s.Organization().Channel("general")
	topic := sent(t, s, "admin", toGeneral("news", "Hello @**|"+userKey(member.ID)+"**"))
	direct := sent(t, s, "admin", map[string]any{"type": "direct", "to": []int{member.ID}, "content": "Hi"})
	read := sent(t, s, "admin", map[string]any{"type": "direct", "to": []int{member.ID}, "content": "Hi again"})
	group := sent(t, s, "admin", map[string]any{"type": "direct", "to": []int{member.ID, owner.ID}, "content": "Both of you"})
	must(t, s, "member", "POST", "/messages/flags", map[string]any{"messages": []int{read}, "op": "add", "flag": "read"})
	must(t, s, "member", "POST", "/messages/flags", map[string]any{"messages": []int{}, "op": "add", "flag": "read"})
	body := must(t, s, "member", "POST", "/register", map[string]any{
		"event_types": []string{"message", "update_message_flags", "recent_private_conversations"},
	}).body
	people := slices.Sorted(slices.Values([]int{owner.ID, admin.ID, member.ID}))
	want := map[string]any{
		"pms":     []any{map[string]any{"other_user_id": admin.ID, "sender_id": admin.ID, "unread_message_ids": []int{direct}}},
		"streams": []any{map[string]any{"stream_id": general.ID, "topic": "news", "unread_message_ids": []int{topic}}},
		"huddles": []any{map[string]any{"user_ids_string": joinIDs(people), "unread_message_ids": []int{group}}},
		"count":   3, "mentions": []int{topic}, "old_unreads_missing": false,
	}
	if got := compactAll(body["unread_msgs"]); got != compactAll(want) {
		t.Errorf("unread: %s, want %s", got, compactAll(want))
	}
	others := slices.Sorted(slices.Values([]int{owner.ID, admin.ID}))
	conversations := []any{
		map[string]any{"max_message_id": group, "user_ids": others}, map[string]any{"max_message_id": read, "user_ids": []int{admin.ID}},
	}
	if got := compactAll(body["recent_private_conversations"]); got != compactAll(conversations) {
		t.Errorf("conversations: %s, want %s", got, compactAll(conversations))
	}
	must(t, s, "member", "PATCH", fmt.Sprintf("/users/me/subscriptions/%d", general.ID), map[string]any{"property": "is_muted", "value": "true"})
	muted := must(t, s, "member", "POST", "/register", nil).body["unread_msgs"].(map[string]any)
	if muted["count"] != 3.0 { // the topic in which one is mentioned is followed
		t.Errorf("with the channel muted %v count, want 3", muted["count"])
	}
}

func TestQueueIDsAreUUIDs(t *testing.T) {
	s := start(t, Config{})
	id := must(t, s, "member", "POST", "/register", map[string]any{"event_types": []string{}}).body["queue_id"].(string)
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
		t.Errorf("queue_id: %s", id)
	}
	must(t, s, "member", "DELETE", "/events", map[string]any{"queue_id": id})
}

func TestWhatASubscriptionToEventsNarrows(t *testing.T) {
	s := start(t, Config{})
	for narrow, want := range map[string]string{
		`[["channel","general"],["topic","x"]]`: "", `[["is","mentioned"]]`: "",
		`[["has","link"]]`: "Operator has not supported.", `[["is","followed"]]`: "Operand followed not supported.",
	} {
		got := ask(t, s, "member", "POST", "/register", map[string]any{"event_types": []string{}, "narrow": narrow})
		if got.body["msg"] != want {
			t.Errorf("%s: %v, want %q", narrow, got.body["msg"], want)
		}
	}
}
