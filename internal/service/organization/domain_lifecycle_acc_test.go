package organization_test

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
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// TestAccDomain is the life of one through a real CLI: added, planned empty, changed, repaired, imported, removed.
func TestAccDomain(t *testing.T) {
	org := acctest.Start(t)
	name := org.Prefix + "a.example.com"
	const address = "zulip_domain.x"
	config := func(written string, subdomains bool) string {
		return fmt.Sprintf("resource \"zulip_domain\" \"x\" {\n  domain = %q\n  allow_subdomains = %t\n}\n", written, subdomains)
	}
	planned := func(checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: checks}
	}
	holds := func(want bool) statecheck.StateCheck {
		return acctest.After(func() {
			if subdomains, there := domains(t, org)[name]; !there || subdomains != want {
				t.Errorf("the server has it: %t, with subdomains: %t", there, subdomains)
			}
		})
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(*terraform.State) error {
			if _, there := domains(t, org)[name]; there {
				return fmt.Errorf("%s is there", name)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{
				Config:            config("TF"+name[2:], false),
				ConfigStateChecks: []statecheck.StateCheck{holds(false), statecheck.ExpectKnownValue(address, tfjsonpath.New("id"), knownvalue.StringExact(name))},
			},
			{Config: config(name, false), ConfigPlanChecks: planned(plancheck.ExpectEmptyPlan())},
			{
				Config:            config(name, true),
				ConfigPlanChecks:  planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)),
				ConfigStateChecks: []statecheck.StateCheck{holds(true)},
			}, {
				PreConfig: func() {
					must(t, org.Client.UpdateDomain(context.Background(), zulip.Domain{Domain: name}))
				},
				Config:            config(name, true),
				ConfigPlanChecks:  planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)),
				ConfigStateChecks: []statecheck.StateCheck{holds(true)},
			}, { // an import has the server's words
				ResourceName: address, ImportState: true, ImportStateId: name, ImportStateVerify: true, ImportStateVerifyIgnore: []string{"domain"},
			}, {
				PreConfig:         func() { must(t, org.Client.DeleteDomain(context.Background(), name)) },
				Config:            config(name, true),
				ConfigPlanChecks:  planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate)),
				ConfigStateChecks: []statecheck.StateCheck{holds(true)},
			},
		},
	})
}
