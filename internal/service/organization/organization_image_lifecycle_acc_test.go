package organization_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// TestAccOrganizationImage is the life of one through a real CLI: uploaded, planned empty, changed in place, changed by somebody
// else, imported, removed.
func TestAccOrganizationImage(t *testing.T) {
	org := acctest.Start(t)
	const address = organizationImageKind + ".x"
	first, second := organizationImagePicture(t, 10), organizationImagePicture(t, 200)
	config := func(file string) string {
		return fmt.Sprintf("resource %q \"x\" {\n  kind = \"night_logo\"\n  file = %q\n}\n", organizationImageKind, file)
	}
	has := func(file string) []statecheck.StateCheck {
		return []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("file_sha256"), knownvalue.StringExact(hashOf(t, file)))}
	}
	planned := func(check plancheck.PlanCheck) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{check}}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(*terraform.State) error {
			if left := organizationImageHeld(t, org, "night_logo"); left.IsUploaded {
				return fmt.Errorf("there is still %v", left)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{Config: config(first), ConfigStateChecks: has(first)},
			{Config: config(organizationImagePicture(t, 10)), ConfigPlanChecks: planned(plancheck.ExpectEmptyPlan())},
			{Config: config(second), ConfigPlanChecks: planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)), ConfigStateChecks: has(second)},
			{
				PreConfig:        func() { uploadByHand(t, org, "night_logo", first) },
				Config:           config(second),
				ConfigPlanChecks: planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)), ConfigStateChecks: has(second),
			},
			{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateId: "night_logo", ImportStateVerifyIgnore: []string{"file", "file_sha256"}},
		},
	})
}
