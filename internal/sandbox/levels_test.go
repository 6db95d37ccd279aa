package sandbox

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

func TestOlderServers(t *testing.T) {
	t.Run("channels are made by subscribing", func(t *testing.T) {
		s := start(t, Config{FeatureLevel: featurelevel.CreateChannel - 1})
		got := ask(t, s, "admin", "POST", "/channels/create", map[string]any{"name": "x", "subscribers": []int{}})
		if got.status != 404 || got.header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("POST /channels/create: %d %s", got.status, got.header.Get("Content-Type"))
		}
		must(t, s, "admin", "POST", "/users/me/subscriptions", map[string]any{"subscriptions": []any{map[string]any{"name": "x"}}})
		if _, ok := s.Organization().Channel("x"); !ok {
			t.Error("subscribing made no channel")
		}
		s.SetFeatureLevel(featurelevel.CreateChannel)
		createdChannel(t, s, "admin", "after the upgrade")
	})

	t.Run("unknown parameters are ignored and reported", func(t *testing.T) {
		s := start(t, Config{FeatureLevel: DefaultFeatureLevel})
		id := createdChannel(t, s, "admin", "x")
		s.SetFeatureLevel(388)
		nobody := s.systemGroupID(t, "role:nobody")
		got := must(t, s, "admin", "PATCH", "/streams/"+userKey(id), map[string]any{
			"folder_id": 999999, "topics_policy": "nonsense", "description": "new",
			"can_create_topic_group": map[string]any{"new": nobody}, "can_send_message_group": map[string]any{"new": nobody},
		})
		want := []any{"can_create_topic_group", "folder_id", "topics_policy"}
		if !reflect.DeepEqual(got.body["ignored_parameters_unsupported"], want) {
			t.Errorf("ignored: %v, want %v", got.body["ignored_parameters_unsupported"], want)
		}
		ch, _ := s.Organization().Channel("x")
		if ch.Description != "new" || !slices.Equal(ch.Permissions["can_send_message_group"], []string{"role:nobody"}) {
			t.Errorf("what the level knows was not applied: %+v", ch)
		}
		if !slices.Equal(ch.Permissions["can_create_topic_group"], []string{"role:everyone"}) {
			t.Errorf("what the level does not know was applied: %v", ch.Permissions["can_create_topic_group"])
		}
	})

	t.Run("fields are absent", func(t *testing.T) {
		s := start(t, Config{})
		id := createdChannel(t, s, "admin", "x")
		since := map[string]int{
			"can_create_topic_group": 441, "default_push_notifications": 507, "folder_id": 389, "topics_policy": 392, "subscriber_count": 394,
		}
		for name, level := range since {
			for _, at := range []int{level - 1, level} {
				s.SetFeatureLevel(at)
				channel := must(t, s, "admin", "GET", "/streams/"+userKey(id), nil).body["stream"].(map[string]any)
				if _, there := channel[name]; there != (at >= level) {
					t.Errorf("level %d: %s is there: %v", at, name, there)
				}
			}
		}
	})

	t.Run("archived channels are not shown", func(t *testing.T) {
		s := start(t, Config{FeatureLevel: featurelevel.ArchivedChannels - 1})
		id := userKey(createdChannel(t, s, "admin", "x"))
		must(t, s, "admin", "DELETE", "/streams/"+id, nil)
		paths := []string{"/streams/" + id, "/streams/" + id + "/members", "/users/me/" + id + "/topics"}
		for _, path := range paths {
			if got := ask(t, s, "admin", "GET", path, nil); got.status != 400 || got.body["msg"] != "Invalid channel ID" {
				t.Errorf("GET %s: %d %s", path, got.status, got.text)
			}
		}
		s.SetFeatureLevel(featurelevel.ArchivedChannels)
		for _, path := range paths {
			must(t, s, "admin", "GET", path, nil)
		}
		stream := must(t, s, "admin", "GET", "/streams/"+id, nil).body["stream"].(map[string]any)
		if stream["is_archived"] != true {
			t.Errorf("the channel is %v", stream)
		}
	})
}

// New subscribers of a channel get push notifications if the channel says so. Administrators decide this.
func TestDefaultPushNotifications(t *testing.T) {
	const setting = "default_push_notifications"
	s := start(t, Config{FeatureLevel: featurelevel.ChannelPushNotifications})
	pushes := func(account string) any {
		t.Helper()
		for _, row := range must(t, s, account, "GET", "/users/me/subscriptions", nil).body["subscriptions"].([]any) {
			if sub := row.(map[string]any); sub["name"] == "x" {
				return sub["push_notifications"]
			}
		}
		t.Fatalf("%s is not in the channel", account)
		return nil
	}
	subscribe := func(account string, more map[string]any) response {
		t.Helper()
		params := map[string]any{"subscriptions": []any{map[string]any{"name": "x"}}}
		maps.Copy(params, more)
		return ask(t, s, account, "POST", "/users/me/subscriptions", params)
	}
	refused := func(got response) {
		t.Helper()
		if got.status != 400 || got.body["msg"] != "Insufficient permission" {
			t.Errorf("%d %s", got.status, got.text)
		}
	}

	refused(subscribe("member", map[string]any{setting: true}))
	refused(ask(t, s, "member", "POST", "/channels/create", map[string]any{"name": "y", "subscribers": []int{}, setting: true}))
	if got := subscribe("member", map[string]any{setting: false}); got.status != 200 || pushes("member") != nil {
		t.Errorf("%d %s", got.status, got.text)
	}
	ch, _ := s.Organization().Channel("x")
	channel := "/streams/" + userKey(ch.ID)
	must(t, s, "admin", "PATCH", channel, map[string]any{"can_administer_channel_group": map[string]any{"new": s.systemGroupID(t, "role:members")}})
	refused(ask(t, s, "member", "PATCH", channel, map[string]any{setting: false, "description": "new"}))
	if ch, _ = s.Organization().Channel("x"); ch.Description != "" {
		t.Error("a later step was done")
	}
	must(t, s, "admin", "PATCH", channel, map[string]any{setting: true})

	if subscribe("member2", nil); pushes("member2") != true || pushes("member") != nil {
		t.Errorf("the new subscriber has %v, the old one %v", pushes("member2"), pushes("member"))
	}
	must(t, s, "member2", "PATCH", "/users/me/subscriptions/"+userKey(ch.ID), map[string]any{"property": "push_notifications", "value": false})
	must(t, s, "member2", "DELETE", "/users/me/subscriptions", map[string]any{"subscriptions": []string{"x"}})
	if subscribe("member2", nil); pushes("member2") != false {
		t.Errorf("coming back changed it to %v", pushes("member2"))
	}
}

// A level added the deletions of a deactivation. A user deleted on the server is deleted permanently.
func TestDeletedPeople(t *testing.T) {
	s := start(t, Config{FeatureLevel: featurelevel.DeactivationActions - 1})
	member, _ := s.Credentials("member")
	path := "/users/" + userKey(member.ID)
	got := must(t, s, "admin", "DELETE", path, map[string]any{"actions": map[string]any{"delete_profile": true}})
	if want := []any{"actions"}; !reflect.DeepEqual(got.body["ignored_parameters_unsupported"], want) {
		t.Errorf("ignored: %v, want %v", got.body["ignored_parameters_unsupported"], want)
	}
	must(t, s, "admin", "POST", path+"/reactivate", nil)
	s.SetFeatureLevel(featurelevel.DeactivationActions)
	for _, wrong := range []any{[]any{"delete_profile"}, map[string]any{"delete_profile": "yes"}} {
		if got := ask(t, s, "admin", "DELETE", path, map[string]any{"actions": wrong}); got.status != 400 {
			t.Errorf("%v: %d %s", wrong, got.status, got.text)
		}
	}
	must(t, s, "admin", "DELETE", path, map[string]any{"actions": map[string]any{"delete_profile": true}})
	if person, _ := s.Organization().Person(member.Email); person.FullName != "Deleted user" || person.Active || person.Deleted {
		t.Errorf("the person is %+v", person)
	}

	if s.DeleteAccount("nobody") || !s.DeleteAccount("member") {
		t.Error("not the right account was deleted")
	}
	for level, want := range map[int]any{featurelevel.DeletedUsers - 1: nil, featurelevel.DeletedUsers: true} {
		s.SetFeatureLevel(level)
		for _, id := range []int{member.ID, member.ID + 1} {
			if id != member.ID {
				want = nil
			}
			user := must(t, s, "admin", "GET", "/users/"+userKey(id), nil).body["user"].(map[string]any)
			if user["is_deleted"] != want {
				t.Errorf("level %d: user %d is deleted: %v", level, id, user["is_deleted"])
			}
		}
		if got := ask(t, s, "admin", "POST", path+"/reactivate", nil); got.status != 400 {
			t.Errorf("reactivated: %d %s", got.status, got.text)
		}
	}
}

func (s *Server) systemGroupID(t *testing.T, name string) int {
	t.Helper()
	g, ok := s.Organization().Group(name)
	if !ok {
		t.Fatalf("no group %s", name)
	}
	return g.ID
}

func TestVersion_EveryLevel_Matching(t *testing.T) {
	for level, want := range map[int]string{
		442: "12.0-dev-21-gsandbox", 421: "11.0", 420: "11.0-dev-49-gsandbox", 371: "10.0", 277: "9.0",
	} {
		if got := versionAt(level); got != want {
			t.Errorf("level %d: %s, want %s", level, got, want)
		}
		s := start(t, Config{FeatureLevel: level})
		got := must(t, s, "nobody", "GET", "/server_settings", nil)
		if got.body["zulip_version"] != want || got.body["zulip_feature_level"] != float64(level) {
			t.Errorf("level %d says %v, %v", level, got.body["zulip_version"], got.body["zulip_feature_level"])
		}
	}
}
