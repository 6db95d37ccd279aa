package sandbox

import (
	"fmt"
	"reflect"
	"testing"
)

// A list that names one group twice is not collapsed to the group, as a list that names it once is, and equals no group.
func TestPermissionThatNamesAGroupTwice(t *testing.T) {
	s := start(t, Config{})
	channel := createdChannel(t, s, "owner", "x")
	group := s.systemGroupID(t, "role:moderators")
	named, once := any(float64(group)), map[string]any{"direct_members": []any{}, "direct_subgroups": []any{float64(group)}}
	twice := map[string]any{"direct_members": []any{}, "direct_subgroups": []any{group, group}}
	path := fmt.Sprintf("/streams/%d", channel)

	shown := func(path, key string) any {
		return must(t, s, "owner", "GET", path, nil).body["stream"].(map[string]any)[key]
	}
	for i, c := range []struct{ old, fresh, msg, want any }{
		{nil, twice, "", once},
		{twice, twice, "", once},
		{once, twice, "'old' value does not match the expected value.", once},
		{named, twice, "'old' value does not match the expected value.", once},
		{twice, once, "", named},
		{named, twice, "", once},
		{nil, named, "", named},
	} {
		change := map[string]any{"new": c.fresh}
		if c.old != nil {
			change["old"] = c.old
		}
		got := ask(t, s, "owner", "PATCH", path, map[string]any{"can_administer_channel_group": change})
		if held := shown(path, "can_administer_channel_group"); got.body["msg"] != c.msg || !reflect.DeepEqual(held, c.want) {
			t.Errorf("[%d] %s, and the channel has %v, want %v", i, got.text, held, c.want)
		}
	}
	made := must(t, s, "owner", "POST", "/channels/create", map[string]any{"name": "y", "subscribers": []int{}, "can_administer_channel_group": twice}).body["id"]
	if held := shown(fmt.Sprintf("/streams/%v", made), "can_administer_channel_group"); !reflect.DeepEqual(held, once) {
		t.Errorf("a new channel has %v, want %v", held, once)
	}
	got := must(t, s, "owner", "PATCH", "/realm", map[string]any{"can_create_groups": map[string]any{"new": twice}})
	if answered := got.body["can_create_groups"]; compactAll(answered) != compactAll(twice) {
		t.Errorf("the answer repeats %v, want %v", answered, twice)
	}
	if got := ask(t, s, "owner", "PATCH", "/realm", map[string]any{"can_access_all_users_group": map[string]any{"new": twice}}); got.body["code"] != "SYSTEM_GROUP_REQUIRED" {
		t.Errorf("where only groups of roles are taken: %s", got.text)
	}
}
