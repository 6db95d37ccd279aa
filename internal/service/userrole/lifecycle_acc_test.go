package userrole_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// TestAccUserRole is the life of one through a real CLI: given, planned empty, changed, drifted, imported, taken back.
// The role is a bot's that the test makes, so that no person of a real organization is promoted.
func TestAccUserRole(t *testing.T) {
	org := acctest.Start(t)
	bot, _ := org.Call(t, http.MethodPost, "/bots", map[string]string{"full_name": org.Prefix + "role", "short_name": org.Prefix + "role"})["user_id"].(float64)
	id := int64(bot)
	t.Cleanup(func() { org.Call(t, http.MethodDelete, fmt.Sprint("/bots/", id), nil) })
	found, err := org.Client.User(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	const address = "zulip_user_role.x"
	config := func(role string) string {
		return fmt.Sprintf("resource \"zulip_user_role\" \"x\" {\n  user = %q\n  role = %q\n  on_destroy = \"guest\"\n}\n", found.Address(), role)
	}
	holds := func(want string) error {
		user, err := org.Client.User(context.Background(), id)
		if err == nil && user.Role.String() != want {
			err = fmt.Errorf("the role is %s, want %s", user.Role, want)
		}
		return err
	}
	check := func(want string) []statecheck.StateCheck {
		return []statecheck.StateCheck{
			statecheck.ExpectKnownValue(address, tfjsonpath.New("role"), knownvalue.StringExact(want)),
			statecheck.ExpectKnownValue(address, tfjsonpath.New("user_id"), knownvalue.Int64Exact(id)),
			acctest.After(func() {
				if err := holds(want); err != nil {
					t.Error(err)
				}
			}),
		}
	}
	updates := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy:             func(*terraform.State) error { return holds("guest") },
		Steps: []resource.TestStep{
			{Config: config("moderator"), ConfigStateChecks: check("moderator")},
			{Config: config("moderator"), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
			{Config: config("administrator"), ConfigPlanChecks: updates, ConfigStateChecks: check("administrator")},
			{
				PreConfig: func() {
					role := zulip.RoleGuest
					if err := org.Client.UpdateUser(context.Background(), id, zulip.UserUpdate{Role: &role}); err != nil {
						t.Fatal(err)
					}
				},
				Config: config("administrator"), ConfigPlanChecks: updates, ConfigStateChecks: check("administrator"),
			},
			{
				ResourceName: address, ImportState: true, ImportStateId: found.Address(), ImportStateVerify: true,
				ImportStateVerifyIdentifierAttribute: "user_id", ImportStateVerifyIgnore: []string{"on_destroy"}, // the server knows nothing of it
			},
			{
				ResourceName: address, ImportState: true, ImportStateId: fmt.Sprint(id), ImportStateVerify: true,
				ImportStateVerifyIdentifierAttribute: "user_id", ImportStateVerifyIgnore: []string{"on_destroy"},
			},
			{
				Config:      fmt.Sprintf("resource \"zulip_user_role\" \"x\" {\n  user = %q\n  role = \"guest\"\n}\n", "x"+found.Address()),
				ExpectError: acctest.Message("did you mean " + found.Address()),
			},
		},
	})
}
