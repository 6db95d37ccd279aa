package invitation_test

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
)

// TestAccInvitation is the life of one through a real CLI: sent, planned empty, changed, revoked by hand and sent again,
// imported, revoked. Whoever has an account is not invited.
func TestAccInvitation(t *testing.T) {
	org := acctest.Start(t)
	before := len(mails(t, org))
	email := org.Prefix + "ada@example.net"
	config := func(lines string) string {
		return fmt.Sprintf(`
resource "zulip_channel" "c" {
  name = %q
}
resource "zulip_invitation" "x" {
  email       = %q
  channel_ids = [zulip_channel.c.id]
  %s
}
resource "zulip_invitation" "self" {
  email = %q
}
`, org.Prefix+"invited", email, lines, org.Self.Address())
	}
	const address = "zulip_invitation.x"
	const guest = "invite_as = \"guest\"\n  expires_in_minutes = 60\n  include_realm_default_subscriptions = true\n  welcome_message_custom_text = \"Hello!\""
	planned := func(checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: checks}
	}
	has := func(address, attribute string, value knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), value)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(*terraform.State) error {
			if left := mails(t, org); len(left) != before {
				return fmt.Errorf("%d invitations, there were %d before", len(left), before)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{
				Config: config(guest),
				ConfigStateChecks: []statecheck.StateCheck{
					has(address, "status", knownvalue.StringExact("pending")), has(address, "expiry_date", knownvalue.NotNull()),
					has("zulip_invitation.self", "status", knownvalue.StringExact("accepted")), has("zulip_invitation.self", "user_id", knownvalue.Int64Exact(org.Self.ID)),
					acctest.After(func() {
						if now := len(mails(t, org)); now != before+1 {
							t.Errorf("%d invitations, there were %d before", now, before)
						}
					}),
				},
			},
			{Config: config(guest), ConfigPlanChecks: planned(plancheck.ExpectEmptyPlan())},
			{
				Config:            config(`invite_as = "guest"`), // without an end; what is not configured any more stays
				ConfigPlanChecks:  planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)),
				ConfigStateChecks: []statecheck.StateCheck{has(address, "expiry_date", knownvalue.Null())},
			}, {
				PreConfig: func() {
					all := mails(t, org)
					if err := org.Client.RevokeInvitation(context.Background(), all[len(all)-1].ID); err != nil {
						t.Fatal(err)
					}
				},
				Config:           config(`invite_as = "guest"`),
				ConfigPlanChecks: planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate)),
			}, { // the server gives the rest not back
				ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateId: email,
				ImportStateVerifyIgnore: []string{"channel_ids", "group_ids", "include_realm_default_subscriptions", "welcome_message_custom_text"},
			},
		},
	})
}
