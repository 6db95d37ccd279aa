package review_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

// Everyone gains rights in a channel because it comes back, and not because a group changes that no permission of it names.
func TestReviewReactivatedChannel_GroupChanged_Explained(t *testing.T) {
	f := newFirm(t)
	shelf := f.channel("shelf", nil)
	f.Archive(t, "shelf")
	found := f.reviewed("", resourceChange("zulip_channel", nil, attributes{"name": "shelf", "adopt_archived": true}),
		resourceChange("zulip_user_group", attributes{"id": f.advisers, "name": "advisers", "members": []string{"mel@example.com"}},
			attributes{"id": f.advisers, "name": "advisers", "members": []string{"ada@example.com"}}))
	var rights []*report.Right
	for _, channel := range found.Channels {
		if channel.ID == shelf {
			rights = channel.Rights
		}
	}
	for _, right := range rights {
		if right.FollowsFrom != "the reactivation of the channel" {
			t.Errorf("%s follows from %s", right.Name, right.FollowsFrom)
		}
	}
	if len(rights) == 0 {
		t.Errorf("the review has no rights in #shelf: %s", markdownOf(t, found))
	}
}
