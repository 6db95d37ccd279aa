package review_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// A review of a destroy with on_destroy = "reset" shows the permissions that it resets, and no others.
func TestReviewOrganization_DestroyedWithReset_Shown(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, "PATCH", "/realm", map[string]string{"can_create_groups": fmt.Sprintf(`{"new": %d}`, groupID(t, o, "sre"))})
	for onDestroy, want := range map[string]int{"reset": 1, "keep": 0} {
		state := attributes{
			"on_destroy": onDestroy, "reset_permissions": []string{"can_create_groups", "can_mention_many_users_group"},
			"can_create_groups": []string{"group:sre"}, "can_mention_many_users_group": []string{"role:administrators"},
		}
		found := reviewOf(t, o, planOf(t, resourceChange("zulip_organization", state, nil)))
		if len(found.Permissions) != want || want > 0 && found.Permissions[0].Name != "can_create_groups" {
			t.Errorf("%s: the review shows %+v", onDestroy, found.Permissions)
		}
	}
}
