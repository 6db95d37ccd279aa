package organization_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// TestAccPlayground is the life of one through a real CLI: added, planned empty, imported, replaced, repaired, removed.
func TestAccPlayground(t *testing.T) {
	org := acctest.Start(t)
	const resourceAddress = "zulip_code_playground.x"
	key := "Python/" + org.Prefix + "sandbox"
	config := func(template string) string {
		return fmt.Sprintf("resource \"zulip_code_playground\" \"x\" {\n  name = %q\n  pygments_language = \"Python\"\n  url_template = %q\n}\n", org.Prefix+"sandbox", template)
	}
	does := func(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(resourceAddress, action)}}
	}
	holds := func(template string) []statecheck.StateCheck {
		return []statecheck.StateCheck{acctest.After(func() {
			if held := playgrounds(t, org)[key]; held == nil || held.URLTemplate != template {
				t.Errorf("the server holds %+v", held)
			}
		})}
	}
	imports := func(id string) resource.TestStep {
		return resource.TestStep{ResourceName: resourceAddress, ImportState: true, ImportStateVerify: true, ImportStateId: id}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(*terraform.State) error {
			if held := playgrounds(t, org)[key]; held != nil {
				return fmt.Errorf("the server holds %+v", held)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{Config: config(codePlaygroundAddress), ConfigStateChecks: holds(codePlaygroundAddress)},
			{Config: config(codePlaygroundAddress), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
			imports(""), imports(key), imports(org.Prefix + "sandbox"),
			{Config: config(codePlaygroundAddress + "#2"), ConfigPlanChecks: does(plancheck.ResourceActionReplace), ConfigStateChecks: holds(codePlaygroundAddress + "#2")},
			{
				PreConfig: func() {
					if err := org.Client.DeletePlayground(context.Background(), playgrounds(t, org)[key].ID); err != nil {
						t.Fatal(err)
					}
				},
				Config: config(codePlaygroundAddress), ConfigPlanChecks: does(plancheck.ResourceActionCreate), ConfigStateChecks: holds(codePlaygroundAddress),
			},
		},
	})
}
