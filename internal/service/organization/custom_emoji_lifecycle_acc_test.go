package organization_test

import (
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
)

// TestAccCustomEmoji is the life of one through a real CLI: added, planned empty, made anew for another content,
// deactivated by somebody else, imported, ended.
func TestAccCustomEmoji(t *testing.T) {
	org := acctest.Start(t)
	const address = customEmojiTypeName + ".x"
	name, first, second := org.Prefix+"party", customEmojiPicture(t, 10), customEmojiPicture(t, 200)
	config := func(file string) string {
		return fmt.Sprintf("resource %q \"x\" {\n  name = %q\n  file = %q\n}\n", customEmojiTypeName, name, file)
	}
	empty := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	holds := func(count int) statecheck.StateCheck {
		return acctest.After(func() {
			if all := customEmojiHeld(t, org, name); len(all) != count || active(t, org, name) == nil {
				t.Errorf("the server holds %v, not %d", all, count)
			}
		})
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(*terraform.State) error {
			if left := active(t, org, name); left != nil {
				return fmt.Errorf("there is still %v", left)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{
				Config: config(first),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("file_sha256"), knownvalue.StringExact(hashOf(t, first))), holds(1),
				},
			},
			{Config: config(first), ConfigPlanChecks: empty},
			{Config: config(customEmojiPicture(t, 10)), ConfigPlanChecks: empty},
			{
				Config:            config(second),
				ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionDestroyBeforeCreate)}},
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("file_sha256"), knownvalue.StringExact(hashOf(t, second))), holds(2)},
			}, {
				PreConfig:         func() { org.Call(t, http.MethodDelete, "/realm/emoji/"+name, nil) },
				Config:            config(second),
				ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate)}},
				ConfigStateChecks: []statecheck.StateCheck{holds(3)},
			}, {
				ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateId: name,
				ImportStateVerifyIgnore: []string{"file", "file_sha256"}, // which the server does not tell
			}, {
				ResourceName: address, ImportState: true, ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"file", "file_sha256"},
			},
		},
	})
}
