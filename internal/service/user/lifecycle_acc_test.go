package user_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// TestAccSandboxUser is the life of an account through a real CLI: made, planned empty, changed, imported, deactivated by
// hand, taken back, deactivated. On a sandbox: a real server keeps every account for good.
func TestAccSandboxUser(t *testing.T) {
	org := acctest.StartSandbox(t, sandbox.Config{})
	field(t, org, "Team", "1")
	const address = "zulip_user.x"
	config := func(lines string) string {
		// Encoded, because the test framework logs configurations: the password itself may stand nowhere.
		return fmt.Sprintf("resource \"zulip_user\" \"x\" {\n  email = %q\n  password = base64decode(\"Y29ycmVjdCBob3JzZSBiYXR0ZXJ5IHN0YXBsZQ==\")\n  %s\n}\n", newcomer, lines)
	}
	whole := "full_name = \"Nadia Haddad\"\n  role = \"moderator\"\n  profile_data = { Team = \"Platform\" }"
	same := statecheck.CompareValue(compare.ValuesSame())
	sameID := func() statecheck.StateCheck { return same.AddStateValue(address, tfjsonpath.New("id")) }
	action := func(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)}}
	}
	deactivate := func() {
		user, err := org.Client.UserByEmail(context.Background(), newcomer)
		if err == nil {
			_, err = org.Client.DeactivateUser(context.Background(), user.ID, zulip.Deactivation{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ignore := []string{"password", "adopt_deactivated", "deactivation_notification_comment", "email"} // the address in another case
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(*terraform.State) error {
			user, err := org.Client.UserByEmail(context.Background(), newcomer)
			if err == nil && user.IsActive {
				err = fmt.Errorf("the account is still active")
			}
			return err
		},
		Steps: []resource.TestStep{
			{
				Config: config(whole), ConfigPlanChecks: action(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{
					sameID(), statecheck.ExpectKnownValue(address, tfjsonpath.New("password"), knownvalue.Null()),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("role"), knownvalue.StringExact("moderator")),
				},
			},
			{Config: config(whole), ConfigPlanChecks: action(plancheck.ResourceActionNoop)},
			{Config: config("full_name = \"Nadia H\"\n  profile_data = { Team = \"\" }"), ConfigPlanChecks: action(plancheck.ResourceActionUpdate), ConfigStateChecks: []statecheck.StateCheck{sameID()}},
			{Config: config(whole)},
			{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: ignore},
			{ResourceName: address, ImportState: true, ImportStateId: newcomer, ImportStateVerify: true, ImportStateVerifyIgnore: ignore},
			{PreConfig: deactivate, Config: config(whole), ExpectError: acctest.Message("Set adopt_deactivated = true to reactivate it")},
			{
				Config: config(whole + "\n  adopt_deactivated = true"), ConfigPlanChecks: action(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{sameID()},
			},
			{Taint: []string{address}, Config: config(whole), ConfigStateChecks: []statecheck.StateCheck{sameID()}},
			{Config: config(whole + "\n  deactivation_notification_comment = \"So long\"")},
		},
	})
	sent := false
	for _, request := range org.Sandbox.Journal().Requests(sandbox.Filter{Method: "DELETE", Path: "/users/*"}) {
		sent = sent || request.Params["deactivation_notification_comment"] == "So long"
	}
	if !sent {
		t.Error("the comment was not sent")
	}
}

// TestAccSandboxUserAndRole makes an account and names it in other resources of the same run.
func TestAccSandboxUserAndRole(t *testing.T) {
	org := acctest.StartSandbox(t, sandbox.Config{})
	config := fmt.Sprintf(`resource "zulip_user" "x" {
  email     = %q
  full_name = "Nadia Haddad"
}
resource "zulip_user_role" "x" {
  user = zulip_user.x.id
  role = "moderator"
}
resource "zulip_user_status" "x" {
  user        = zulip_user.x.id
  status_text = "New here"
}
resource "zulip_channel" "x" {
  name                = "nadia"
  initial_subscribers = [zulip_user.x.id]
}
data "zulip_user_status" "x" {
  user       = zulip_user.x.email
  depends_on = [zulip_user_status.x]
}
`, newcomer)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.zulip_user_status.x", tfjsonpath.New("status_text"), knownvalue.StringExact("New here")),
				},
			},
			{RefreshState: true},
			{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		},
	})
	// The role is a moderator's on the server too.
	user, err := org.Client.UserByEmail(context.Background(), newcomer)
	if err != nil || user.Role.String() != "moderator" {
		t.Errorf("the account is %+v, %v", user, err)
	}
}
