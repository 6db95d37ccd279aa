package organization_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// A configuration in which the organization's permissions name a group is destroyed in one run, and no object stays
// active.
func TestAccSandboxOrganization_DestroyedWithReset(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	before := o.Snapshot(t, zulip.FetchRealm).Realm.Permissions
	w.Configure(t, `
resource "zulip_user_group" "platform" {
  name = "platform"
}
resource "zulip_organization" "this" {
  on_destroy = "reset"

  can_create_groups            = ["group:${zulip_user_group.platform.name}"]
  can_mention_many_users_group = ["role:moderators", "group:${zulip_user_group.platform.name}"]
}
`)
	w.Must(t, "apply", "-auto-approve")
	w.Must(t, "plan", "-detailed-exitcode")
	if printed := w.Must(t, "plan", "-destroy"); !strings.Contains(printed, "Destroying resets permissions of the organization") {
		t.Errorf("the plan does not warn:\n%s", printed)
	}
	w.Must(t, "destroy", "-auto-approve")
	for _, group := range o.Snapshot(t, zulip.FetchUserGroups).UserGroups {
		if group.Name == "platform" && !group.Deactivated {
			t.Error("the group is still active")
		}
	}
	for name, value := range o.Snapshot(t, zulip.FetchRealm).Realm.Permissions {
		if text(t, value) != text(t, before[name]) {
			t.Errorf("%s was %s, and is %s", name, text(t, before[name]), text(t, value))
		}
	}
}
