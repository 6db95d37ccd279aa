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
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestAccProfileField is the life of two fields and their order through a real CLI.
func TestAccProfileField(t *testing.T) {
	org := acctest.Start(t)
	own := func() []string {
		names := []string{}
		for _, f := range fields(t, org) {
			if name, ok := strings.CutPrefix(f.Name, org.Prefix); ok {
				names = append(names, name)
			}
		}
		return names
	}
	config := func(kind, options string, order ...string) string {
		return fmt.Sprintf(`
resource "zulip_custom_profile_field" "shift" {
  field_type = "select"
  name       = "%[1]sshift"
  hint       = "When you work"
  options    = [%[3]s]
}

resource "zulip_custom_profile_field" "team" {
  field_type = %[2]q
  name       = "%[1]steam"
}

resource "zulip_custom_profile_field_order" "all" {
  field_ids = [%[4]s]
}
`, org.Prefix, kind, options, strings.Join(order, ", "))
	}
	const (
		address = "zulip_custom_profile_field.shift"
		other   = "zulip_custom_profile_field.team"
		day     = `{ key = "d", text = "Day" }, `
	)
	holds := func(want ...string) statecheck.StateCheck {
		return acctest.After(func() {
			if got := own(); !slices.Equal(got, want) {
				t.Errorf("the server holds %q, want %q", got, want)
			}
		})
	}
	does := func(address string, action plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)}}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(*terraform.State) error {
			if left := own(); len(left) > 0 {
				return fmt.Errorf("left: %q", left)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{
				Config:            config("short_text", day, other+".id", address+".id"),
				ConfigStateChecks: []statecheck.StateCheck{holds("team", "shift")},
			}, {
				Config:           config("short_text", `{ key = "n", text = "Night" }, { key = "d", text = "Early" }`, address+".id", other+".id"),
				ConfigPlanChecks: does(address, plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{holds("shift", "team"),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("options").AtSliceIndex(1).AtMapKey("text"), knownvalue.StringExact("Early"))},
			}, {
				Config:            config("date", day, address+".id", other+".id"),
				ConfigPlanChecks:  does(other, plancheck.ResourceActionDestroyBeforeCreate),
				ConfigStateChecks: []statecheck.StateCheck{holds("shift", "team")},
			},
			{ResourceName: address, ImportState: true, ImportStateVerify: true},
			{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateId: org.Prefix + "shift"},
			{
				PreConfig: func() {
					for _, f := range fields(t, org) {
						if f.Name == org.Prefix+"shift" {
							if err := org.Client.DeleteProfileField(t.Context(), f.ID); err != nil {
								t.Fatal(err)
							}
						}
					}
				},
				Config:            config("date", day, address+".id", other+".id"),
				ConfigPlanChecks:  does(address, plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{holds("shift", "team")},
			},
		},
	})
}

// TestFaultProfileFieldKilled: the plugin is killed after the server has made the field, and before the state knows. The
// next apply takes it when it is told to recover; then it is replaced on demand, and is not in its own way.
func TestFaultProfileFieldKilled(t *testing.T) {
	trial := acctest.NewTrial(t, "plugin killed", "after the custom profile field was added, before the state knew", sandbox.Config{})
	trial.Want("resource \"zulip_custom_profile_field\" \"a\" {\n  field_type = \"date\"\n  name = \"Birthday\"\n}\n")
	gate := trial.Sandbox.Gate("GET", "/realm/profile_fields") // read when it is there; the state has not been written yet
	running := trial.Start(t, "apply", "-auto-approve")
	held := <-gate.Arrived
	running.KillPlugin(t)
	held.Release()
	gate.Open()
	trial.Refused(running)
	trial.Fails([]string{"A custom profile field with the name", "ZULIP_RECOVER_INTERRUPTED=true"})
	trial.Setenv("ZULIP_RECOVER_INTERRUPTED", "true")
	trial.Succeeds()
	trial.Converges()
	expectProfileField(t, trial.Organization, "date Birthday")
	trial.Succeeds("-replace=zulip_custom_profile_field.a")
	expectProfileField(t, trial.Organization, "date Birthday")
}
