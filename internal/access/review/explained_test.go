package review_test

import (
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
