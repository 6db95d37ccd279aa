package review_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

// The cause is that the channel is unarchived, and not a changed group that none of its permissions names.
func TestReviewReactivatedChannel_GroupChanged_Explained(t *testing.T) {
	f := newFirm(t)
	shelf := f.channel("shelf", nil)
	f.Archive(t, "shelf")
	found := f.reviewed("", resourceChange("zulip_channel", nil, attributes{"name": "shelf", "adopt_archived": true}),
		resourceChange("zulip_user_group", attributes{"id": f.advisers, "name": "advisers", "members": []string{"mel@example.com"}},
			attributes{"id": f.advisers, "name": "advisers", "members": []string{"ada@example.com"}}))
	var permissions []*report.PermissionChange
	for _, channel := range found.Channels {
		if channel.ID == shelf {
			permissions = channel.Permissions
		}
	}
	for _, permission := range permissions {
		if permission.FollowsFrom != "the reactivation of the channel" {
			t.Errorf("%s follows from %s", permission.Name, permission.FollowsFrom)
		}
	}
	if len(permissions) == 0 {
		t.Errorf("the review has no permissions in #shelf: %s", markdownOf(t, found))
	}
}

// causesIn returns the causes of the effects in a channel by the name of the permission.
func causesIn(found *report.Report, channel int64) map[string]string {
	causes := map[string]string{}
	for _, one := range found.Channels {
		if one.ID == channel {
			for _, permission := range one.Permissions {
				causes[permission.Name] = permission.FollowsFrom
			}
		}
	}
	return causes
}

// The cause is never a changed group that gives no one the permission: such a group changes in every plan here.
func TestReviewCause_OtherGroupChanged_NotNamed(t *testing.T) {
	for name, test := range map[string]struct {
		plan func(f *firm) (channel int64, changes []attributes)
		want map[string]string
	}{
		"another permission": {
			plan: func(f *firm) (int64, []attributes) {
				return f.board, []attributes{f.joins("directors", f.directors, "ada", "otto")}
			},
			want: map[string]string{"can_read": "group:directors", "can_subscribe_group": "group:directors"},
		},
		"subgroup": {
			plan: func(f *firm) (int64, []attributes) {
				below := f.group("deputies")
				f.Call(f.t, "POST", fmt.Sprintf("/user_groups/%d/subgroups", f.directors), map[string]string{"add": fmt.Sprintf("[%d]", below)})
				return f.board, []attributes{f.joins("deputies", below, "otto")}
			},
			want: map[string]string{"can_read": "group:directors > group:deputies", "can_subscribe_group": "group:directors > group:deputies"},
		},
		"unknown subgroup": {
			plan: func(f *firm) (int64, []attributes) {
				f.Call(f.t, "POST", fmt.Sprintf("/user_groups/%d/subgroups", f.directors), map[string]string{"add": fmt.Sprintf("[%d]", f.group("deputies"))})
				return f.board, []attributes{resourceChange("zulip_user_group", attributes{"id": groupID(f.t, f.Organization, "deputies"), "name": "deputies", "members": []string{}}, attributes{"id": groupID(f.t, f.Organization, "deputies"), "name": "deputies"}, "members")}
			},
			want: map[string]string{"can_read": "group:directors > group:deputies", "can_subscribe_group": "group:directors > group:deputies"},
		},
		"permission of the organization": {
			plan: func(f *firm) (int64, []attributes) {
				f.Call(f.t, "PATCH", "/realm", map[string]string{"can_delete_any_message_group": fmt.Sprintf(`{"new":%d}`, f.directors)})
				return f.hall, []attributes{f.joins("directors", f.directors, "ada", "otto")}
			},
			want: map[string]string{"can_delete_any_message_group": "the organization's can_delete_any_message_group"},
		},
		"role in a group": {
			plan: func(f *firm) (int64, []attributes) {
				f.Call(f.t, "POST", fmt.Sprintf("/user_groups/%d/subgroups", f.directors), map[string]string{"add": fmt.Sprintf("[%d]", groupID(f.t, f.Organization, "role:moderators"))})
				return f.board, []attributes{resourceChange("zulip_user", attributes{"id": f.mel, "full_name": "Mel", "role": "member"}, attributes{"id": f.mel, "full_name": "Mel", "role": "moderator"})}
			},
			want: map[string]string{"can_read": "the role of mel@example.com", "can_subscribe_group": "the role of mel@example.com"},
		},
		"no cause in the report": {
			plan: func(f *firm) (int64, []attributes) {
				return f.hall, []attributes{resourceChange("zulip_channel", attributes{"id": f.hall, "name": "hall", "topics_policy": "inherit"}, attributes{"id": f.hall, "name": "hall", "topics_policy": "empty_topic_only"})}
			},
			want: map[string]string{"can_create_topic_group": ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFirm(t)
			channel, changes := test.plan(f)
			causes := causesIn(f.reviewed("", append(changes, f.joins("advisers", f.advisers, "mel", "gus"))...), channel)
			for permission, want := range test.want {
				if got, has := causes[permission]; !has || got != want {
					t.Errorf("%s: %q, want %q in %q", permission, got, want, causes)
				}
			}
		})
	}
}

// joins sets the members of a group, of which the first is a member before.
func (f *firm) joins(name string, id int64, members ...string) attributes {
	var emails []string
	for _, member := range members {
		emails = append(emails, member+"@example.com")
	}
	return resourceChange("zulip_user_group", attributes{"id": id, "name": name, "members": emails[:len(emails)-1]}, attributes{"id": id, "name": name, "members": emails})
}
