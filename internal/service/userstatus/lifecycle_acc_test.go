package userstatus_test

import (
	"context"
	"fmt"
	"testing"

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

// life is the life of a status through a real CLI: set, planned empty, changed, drifted, imported, cleared. The lines say
// whose it is.
func life(t *testing.T, org *acctest.Organization, lines string, id int64) {
	t.Helper()
	const address = "zulip_user_status.x"
	config := func(more string) string {
		return fmt.Sprintf("resource \"zulip_user_status\" \"x\" {\n  %s\n  %s\n}\ndata \"zulip_user_status\" \"x\" {\n  user = zulip_user_status.x.user_id\n}\n", lines, more)
	}
	status := func() zulip.Status {
		found, err := org.Client.Status(context.Background(), id)
		if err != nil {
			t.Error(err)
		}
		return found
	}
	both := "status_text = \"On leave\"\n  emoji_name = \"palm_tree\""
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(*terraform.State) error {
			if left := status(); left != (zulip.Status{}) {
				return fmt.Errorf("the status is still %+v", left)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{
				Config: config(both),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("user_id"), knownvalue.Int64Exact(id)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("emoji_code"), knownvalue.StringExact("1f334")),
					statecheck.ExpectKnownValue("data."+address, tfjsonpath.New("status_text"), knownvalue.StringExact("On leave")),
				},
			},
			{Config: config(both), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
			{
				PreConfig: func() {
					text := "Here"
					update := zulip.StatusUpdate{Text: &text}
					set := func() error { return org.Client.SetStatus(context.Background(), id, update) }
					if id == org.Self.ID {
						set = func() error { return org.Client.SetOwnStatus(context.Background(), update) }
					}
					if err := set(); err != nil {
						t.Fatal(err)
					}
				},
				Config:           config(both),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}},
				ConfigStateChecks: []statecheck.StateCheck{acctest.After(func() {
					if got := status(); got.Text != "On leave" {
						t.Errorf("the server holds %+v", got)
					}
				})},
			},
			{ResourceName: address, ImportState: true, ImportStateId: fmt.Sprint(id), ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "user_id"},
			{Config: config("status_text = \"\"\n  emoji_name = \"car\"")},
		},
	})
}

// TestAccUserStatusOwn is the status of the account the provider uses, named by nothing.
func TestAccUserStatusOwn(t *testing.T) {
	org := acctest.Start(t)
	life(t, org, "", org.Self.ID)
}

// TestAccSandboxUserStatus is the status of somebody else: on a sandbox, for it is not the tests' to speak for people.
func TestAccSandboxUserStatus(t *testing.T) {
	org := acctest.StartSandbox(t, sandbox.Config{})
	life(t, org, fmt.Sprintf("user = %q", lena), id(t, org, "member"))
}
