package organization_test

import (
	"fmt"
	"slices"
	"strings"
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

const linkifierAddress = "zulip_linkifier.a"

// own returns the linkifiers of the test, in order.
func own(t *testing.T, o *acctest.Organization) []*zulip.Linkifier {
	t.Helper()
	return slices.DeleteFunc(linkifiers(t, o), func(l *zulip.Linkifier) bool { return !strings.HasPrefix(l.Pattern, o.Prefix) })
}

func TestAccLinkifier(t *testing.T) {
	org := acctest.Start(t)
	pattern := org.Prefix + "(?P<id>[0-9]+)"
	block := func(pattern, template string) string {
		return fmt.Sprintf("resource \"zulip_linkifier\" \"a\" {\n  pattern      = %q\n  url_template = %q\n}\n", pattern, template)
	}
	plans := func(checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: checks}
	}
	holds := func(pattern, template string) statecheck.StateCheck {
		return acctest.After(func() {
			if list := own(t, org); len(list) != 1 || list[0].Pattern != pattern || list[0].URLTemplate != template {
				t.Errorf("the server holds %+v", list)
			}
		})
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(*terraform.State) error {
			if left := own(t, org); len(left) > 0 {
				return fmt.Errorf("left: %+v", left)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{Config: block("(", "https://example.com/"), ExpectError: acctest.Message("RE2")},
			{
				Config:           block(pattern, "https://example.com/{id}"),
				ConfigPlanChecks: plans(plancheck.ExpectResourceAction(linkifierAddress, plancheck.ResourceActionCreate)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(linkifierAddress, tfjsonpath.New("pattern"), knownvalue.StringExact(pattern)),
					holds(pattern, "https://example.com/{id}"),
				},
			}, {
				Config:            block(pattern, "https://example.com/issues/{id}"),
				ConfigPlanChecks:  plans(plancheck.ExpectResourceAction(linkifierAddress, plancheck.ResourceActionUpdate)),
				ConfigStateChecks: []statecheck.StateCheck{holds(pattern, "https://example.com/issues/{id}")},
			}, {
				Config:            block(pattern+"x", "https://example.com/issues/{id}"),
				ConfigPlanChecks:  plans(plancheck.ExpectResourceAction(linkifierAddress, plancheck.ResourceActionUpdate)),
				ConfigStateChecks: []statecheck.StateCheck{holds(pattern+"x", "https://example.com/issues/{id}")},
			},
			{ResourceName: linkifierAddress, ImportState: true, ImportStateVerify: true},
			{ResourceName: linkifierAddress, ImportState: true, ImportStateVerify: true, ImportStateId: pattern + "x"},
			{
				PreConfig: func() {
					if err := org.Client.DeleteLinkifier(t.Context(), own(t, org)[0].ID); err != nil {
						t.Fatal(err)
					}
				},
				Config:            block(pattern+"x", "https://example.com/issues/{id}"),
				ConfigPlanChecks:  plans(plancheck.ExpectResourceAction(linkifierAddress, plancheck.ResourceActionCreate)),
				ConfigStateChecks: []statecheck.StateCheck{holds(pattern+"x", "https://example.com/issues/{id}")},
			},
			{ // made anew, it is planned a second time without a state, and is not in its own way
				Taint:            []string{linkifierAddress},
				Config:           block(pattern+"x", "https://example.com/issues/{id}"),
				ConfigPlanChecks: plans(plancheck.ExpectResourceAction(linkifierAddress, plancheck.ResourceActionDestroyBeforeCreate)),
			},
		},
	})
}

func TestAccLinkifierOrder(t *testing.T) {
	org := acctest.Start(t)
	config := func(order ...string) string {
		text, ids := "", []string{}
		for _, name := range []string{"one", "two", "three"} {
			text += fmt.Sprintf("resource \"zulip_linkifier\" %q {\n  pattern = %q\n  url_template = \"https://example.com/\"\n}\n", name, org.Prefix+name)
		}
		for _, name := range order {
			ids = append(ids, "zulip_linkifier."+name+".id")
		}
		return text + fmt.Sprintf(`
resource "zulip_linkifier_order" "o" {
  linkifier_ids = [%s]
}

data "zulip_linkifiers" "all" {
  depends_on = [zulip_linkifier_order.o]
}
`, strings.Join(ids, ", "))
	}
	first := func(want ...string) statecheck.StateCheck {
		return acctest.After(func() {
			for i, l := range linkifiers(t, org)[:len(want)] {
				if l.Pattern != org.Prefix+want[i] {
					t.Errorf("in place %d is %q, want %q", i, l.Pattern, want[i])
				}
			}
		})
	}
	const order = "zulip_linkifier_order.o"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config("two", "one", "three"),
				ConfigStateChecks: []statecheck.StateCheck{first("two", "one", "three"),
					statecheck.ExpectKnownValue("data.zulip_linkifiers.all", tfjsonpath.New("linkifiers").AtSliceIndex(0).AtMapKey("pattern"), knownvalue.StringExact(org.Prefix+"two"))},
			}, {
				Config:            config("three", "two"),
				ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(order, plancheck.ResourceActionUpdate)}},
				ConfigStateChecks: []statecheck.StateCheck{first("three", "two")},
			},
			{ResourceName: order, ImportState: true, ImportStateId: "linkifiers"},
		},
	})
}
