package sandbox

import (
	"reflect"
	"slices"
	"testing"
)

func TestOlderServers(t *testing.T) {
	t.Run("channels are made by subscribing", func(t *testing.T) {
		s := start(t, Config{FeatureLevel: levelCreateChannel - 1})
		got := ask(t, s, "admin", "POST", "/channels/create", map[string]any{"name": "x", "subscribers": []int{}})
		if got.status != 404 || got.header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("POST /channels/create: %d %s", got.status, got.header.Get("Content-Type"))
		}
		must(t, s, "admin", "POST", "/users/me/subscriptions", map[string]any{"subscriptions": []any{map[string]any{"name": "x"}}})
		if _, ok := s.Organization().Channel("x"); !ok {
			t.Error("subscribing made no channel")
		}
		s.SetFeatureLevel(levelCreateChannel)
		createdChannel(t, s, "admin", "after the upgrade")
	})

	t.Run("unknown parameters are ignored and reported", func(t *testing.T) {
		s := start(t, Config{FeatureLevel: NewestFeatureLevel})
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
			"can_send_message_group": 333, "can_subscribe_group": 357, "can_create_topic_group": 441,
			"is_archived": 315, "folder_id": 389, "topics_policy": 392, "subscriber_count": 394, "creator_id": 254,
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

	t.Run("invitations last for days", func(t *testing.T) {
		s := start(t, Config{FeatureLevel: 125})
		got := must(t, s, "admin", "POST", "/invites/multiuse", map[string]any{"invite_expires_in_minutes": 1})
		if want := []any{"invite_expires_in_minutes"}; !reflect.DeepEqual(got.body["ignored_parameters_unsupported"], want) {
			t.Errorf("ignored: %v, want %v", got.body["ignored_parameters_unsupported"], want)
		}
	})

	t.Run("answers say less", func(t *testing.T) {
		s := start(t, Config{FeatureLevel: levelGroupID - 1})
		got := must(t, s, "admin", "POST", "/user_groups/create", map[string]any{"name": "g", "description": "", "members": []int{}})
		if _, there := got.body["group_id"]; there {
			t.Error("group_id is there")
		}
	})
}

// systemGroupID looks a system group up.
func (s *Server) systemGroupID(t *testing.T, name string) int {
	t.Helper()
	g, ok := s.Organization().Group(name)
	if !ok {
		t.Fatalf("no group %s", name)
	}
	return g.ID
}

func TestVersionMatchesLevel(t *testing.T) {
	for level, want := range map[int]string{
		442: "12.0-dev-21-gsandbox", 421: "11.0", 420: "11.0-dev-49-gsandbox", 371: "10.0", 277: "9.0", 100: "6.2",
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
