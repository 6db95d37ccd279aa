package savedsnippet_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// TestAccSavedSnippet is the life of one through a real CLI: stored, planned empty, changed in place, imported, deleted.
func TestAccSavedSnippet(t *testing.T) {
	org := acctest.Start(t)
	before := len(held(t, org))
	config := func(content string) string {
		return fmt.Sprintf("resource %q \"x\" {\n  title = %q\n  content = %q\n}\n", kind, org.Prefix+"Greeting", content)
	}
	planned := func(check plancheck.PlanCheck) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{check}}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(*terraform.State) error {
			if left := len(held(t, org)); left != before {
				return fmt.Errorf("%d snippets, there were %d before", left, before)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{Config: config("Hello")},
			{Config: config("Hello"), ConfigPlanChecks: planned(plancheck.ExpectEmptyPlan())},
			{Config: config("Good morning"), ConfigPlanChecks: planned(plancheck.ExpectResourceAction(kind+".x", plancheck.ResourceActionUpdate))},
			{ResourceName: kind + ".x", ImportState: true, ImportStateVerify: true},
		},
	})
}
