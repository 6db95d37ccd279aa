package bot_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// TestAccBot is the life of one through a real CLI: made, planned empty, changed, imported, replaced, deactivated. A bot
// needs a person's key.
func TestAccBot(t *testing.T) {
	org := acctest.Start(t)
	const address = "zulip_bot.x"
	config := func(lines string) string {
		return fmt.Sprintf("resource \"zulip_channel\" \"c\" {\n  name = %q\n}\nresource \"zulip_bot\" \"x\" {\n  short_name = %q\n  %s\n}\n", org.Prefix+"bot", org.Prefix+"bot", lines)
	}
	whole := fmt.Sprintf("full_name = %q\n  bot_type = \"outgoing_webhook\"\n  payload_url = \"https://example.com/hook\"\n  interface = \"slack\"\n  default_sending_stream = zulip_channel.c.id\n  role = \"guest\"", org.Prefix+"bot")
	other := fmt.Sprintf("full_name = %q\n  bot_type = \"outgoing_webhook\"\n  payload_url = \"https://example.com/other\"\n  default_sending_stream = \"\"\n  role = \"member\"", org.Prefix+"renamed")
	same := statecheck.CompareValue(compare.ValuesSame())
	sameID := func() statecheck.StateCheck { return same.AddStateValue(address, tfjsonpath.New("id")) }
	action := func(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)}}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(*terraform.State) error {
			users, err := org.Client.Users(context.Background(), false)
			for _, user := range users {
				if user.IsBot && user.IsActive && strings.HasPrefix(user.FullName, org.Prefix) {
					err = fmt.Errorf("%s is still active", user.Email)
				}
			}
			return err
		},
		Steps: []resource.TestStep{
			{
				Config: config(whole), ConfigPlanChecks: action(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{
					sameID(), statecheck.ExpectKnownValue(address, tfjsonpath.New("owner"), knownvalue.StringExact(org.Self.Address())),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("interface"), knownvalue.StringExact("slack")),
				},
			},
			{Config: config(whole), ConfigPlanChecks: action(plancheck.ResourceActionNoop)},
			{ // an import has the channel by name
				ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: []string{"default_sending_stream"},
			},
			{Config: config(other), ConfigPlanChecks: action(plancheck.ResourceActionUpdate), ConfigStateChecks: []statecheck.StateCheck{sameID()}},
			{Taint: []string{address}, Config: config(other), ConfigPlanChecks: action(plancheck.ResourceActionDestroyBeforeCreate), ConfigStateChecks: []statecheck.StateCheck{sameID()}},
			{ // another type is another bot, for which the short name is not free
				Config:      config(fmt.Sprintf("full_name = %q", org.Prefix+"renamed")),
				ExpectError: acctest.Message("Choose another short_name"),
			},
		},
	})
}
