package organization_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// TestAccDefaultUserSettings is the life of them through a real CLI: set, planned empty, changed by hand and repaired,
// imported, let go.
func TestAccDefaultUserSettings(t *testing.T) {
	org := acctest.Start(t)
	const address = defaultUserSettingsTypeName + ".x"
	byHand := func(scheme, soundsOn any) {
		org.Call(t, http.MethodPatch, "/realm/user_settings_defaults", map[string]string{
			"color_scheme": fmt.Sprint(scheme), "enable_sounds": fmt.Sprint(soundsOn),
		})
	}
	before := defaultUserSettingsHeld(t, org)
	byHand(1, true)
	t.Cleanup(func() { byHand(before["color_scheme"], before["enable_sounds"]) })

	config := func(scheme string) string {
		return fmt.Sprintf("resource %q \"x\" {\n  color_scheme  = %q\n  enable_sounds = false\n}\n", defaultUserSettingsTypeName, scheme)
	}
	sent := org.Sent()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config("dark"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("color_scheme"), knownvalue.StringExact("dark")),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("enter_sends"), knownvalue.NotNull()),
					acctest.After(func() { sent.Expect(t, "PATCH color_scheme enable_sounds") }),
				},
			}, {
				Config:           config("dark"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			}, {
				PreConfig:        func() { byHand(3, false); sent = org.Sent() },
				Config:           config("dark"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}},
				ConfigStateChecks: []statecheck.StateCheck{acctest.After(func() {
					sent.Expect(t, "PATCH color_scheme")
					if got := defaultUserSettingsHeld(t, org)["color_scheme"]; got != 2.0 {
						t.Errorf("the server holds %v", got)
					}
				})},
			}, {
				Config:            config("light"),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("color_scheme"), knownvalue.StringExact("light"))},
			}, {
				ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateId: "any-word",
			},
		},
	})
	if got := defaultUserSettingsHeld(t, org); got["color_scheme"] != 3.0 || got["enable_sounds"] != false {
		t.Errorf("the server holds %v: what was set is to stay", got)
	}
}
