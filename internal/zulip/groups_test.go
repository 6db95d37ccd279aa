package zulip_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func TestObjections_RealServer_Decoded(t *testing.T) {
	refusal := &zulip.Error{Status: 400, Code: "CANNOT_DEACTIVATE_GROUP_IN_USE", Fields: map[string]json.RawMessage{"objections": json.RawMessage(
		`[{"type":"subgroup","supergroup_ids":[5]},{"type":"channel","channel_id":7,"settings":["can_send_message_group"]},{"type":"user_group","group_id":9,"settings":["can_manage_group"]},{"type":"realm","settings":["can_create_groups"]}]`)}}
	want := []zulip.Objection{
		{Type: "subgroup", SupergroupIDs: []int64{5}},
		{Type: "channel", ChannelID: 7, Settings: []string{"can_send_message_group"}},
		{Type: "user_group", GroupID: 9, Settings: []string{"can_manage_group"}},
		{Type: "realm", Settings: []string{"can_create_groups"}},
	}
	if got := zulip.Objections(refusal); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if got := zulip.Objections(&zulip.Error{Status: 400, Code: "BAD_REQUEST"}); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestIsMembershipMismatch(t *testing.T) {
	for text, want := range map[string]bool{
		"User 12 is already a member of this group": true, "There is no member '12' in this user group": true,
		"User group 12 is already a subgroup of this group.": true, "User group 12 is not a subgroup of this group.": true,
		"User group 12 is already a subgroup of one of the passed subgroups.": false, "Invalid user ID: 12": false, "Insufficient permission": false,
	} {
		if got := zulip.IsMembershipMismatch(&zulip.Error{Status: 400, Msg: text}); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
