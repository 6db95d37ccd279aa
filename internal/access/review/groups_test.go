package review_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// A group that ends is removed from everything that names it, also where the plan says nothing else. The review counts who
// loses access by that.
func TestReview_GroupEnds_RemovedFromPlaces(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	ends := groupID(t, o, "sre")
	o.Call(t, http.MethodPatch, fmt.Sprint("/streams/", o.Channel(t, "incidents").ID), map[string]string{"can_send_message_group": fmt.Sprintf(`{"new": %d}`, ends)})
	for _, setting := range []string{"can_add_custom_emoji_group", "can_manage_all_groups"} {
		o.Call(t, http.MethodPatch, "/realm", map[string]string{setting: fmt.Sprintf(`{"new": %d}`, ends)})
	}
	found := reviewOf(t, o, planOf(t, resourceChange("zulip_user_group", attributes{"id": ends, "name": "sre"}, nil)))
	expectText(t, markdownOf(t, found),
		"post and start topics: `group:sre` → `role:nobody` | – | **everyone**: `Amara Okafor`, `Lena Fischer` |",
		"| group `leads` | be a member: ", "add custom emoji: `group:sre` → `role:nobody`", "manage every user group: `group:sre` → `role:owners`")
}
