package review_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Who is subscribed through a group gains what subscribers can do, and who is not subscribed any more loses it.
func TestReviewOfSubscribedGroups(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	private, owner, lena := true, o.Self.ID, memberID(o)
	id, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: "releases", InviteOnly: &private, Subscribers: []int64{owner}})
	if err != nil {
		t.Fatal(err)
	}
	before := attributes{"channel": "releases", "channel_id": id, "users": []int64{owner}}
	after := func(more attributes) attributes {
		all := attributes{"channel": "releases", "channel_id": id, "users": []int64{owner}, "groups": []string{"sre"}}
		for name, value := range more {
			all[name] = value
		}
		return all
	}
	for _, kind := range []string{"zulip_channel_subscribers", "zulip_channel_subscription"} {
		found := reviewOf(t, o, planOf(t, resourceChange(kind, before, after(attributes{"group_user_ids": []int64{lena}}))))
		if effectOn(found, "releases", permission.CanRead, lena) != 1 {
			t.Errorf("%s: nobody comes with the group: %s", kind, markdownOf(t, found))
		}
		found = reviewOf(t, o, planOf(t, resourceChange(kind, before, after(attributes{"resubscribe": false, "users": []int64{owner, lena}, "left_user_ids": []int64{lena}}))))
		if effectOn(found, "releases", permission.CanRead, lena) != 0 {
			t.Errorf("%s: who has left comes back: %s", kind, markdownOf(t, found))
		}
		found = reviewOf(t, o, planOf(t, resourceChange(kind, before, after(nil), "group_user_ids")))
		if len(found.Channels) != 1 || len(found.Channels[0].Rights) == 0 || !found.Channels[0].Rights[0].Unknown {
			t.Errorf("%s: what is not known is not said to be so: %s", kind, markdownOf(t, found))
		}
	}
	found := reviewOf(t, o, planOf(t, resourceChange("zulip_channel_subscribers", before, attributes{"channel": "releases", "channel_id": id, "users": []int64{}})))
	if effectOn(found, "releases", permission.CanRead, owner) != -1 {
		t.Errorf("the last one loses nothing: %s", markdownOf(t, found))
	}
}
