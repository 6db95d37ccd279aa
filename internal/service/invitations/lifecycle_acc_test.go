package invitations_test

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

// TestAccInviteLink is the life of one through a real CLI: made, planned empty, replaced, revoked by hand, imported,
// revoked.
func TestAccInviteLink(t *testing.T) {
	org := acctest.Start(t)
	before := links(t, org)
	config := func(lines string) string {
		return fmt.Sprintf(`
resource "zulip_channel" "c" {
  name = %q
}
resource "zulip_invite_link" "x" {
  channel_ids = [zulip_channel.c.id]
  %s
}
data "zulip_invite_links" "all" {
  depends_on = [zulip_invite_link.x]
}
`, org.Prefix+"invited", lines)
	}
	const address = "zulip_invite_link.x"
	const guests = "invite_as = \"guest\"\n  expires_in_minutes = 60\n  include_realm_default_subscriptions = true\n  welcome_message_custom_text = \"Hello!\""
	planned := func(checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: checks}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(*terraform.State) error {
			if left := links(t, org); len(left) != len(before) {
				return fmt.Errorf("%d links, there were %d before", len(left), len(before))
			}
			return nil
		},
		Steps: []resource.TestStep{
			{
				Config: config(guests),
				ConfigPlanChecks: planned(
					plancheck.ExpectSensitiveValue(address, tfjsonpath.New("link_url")), plancheck.ExpectUnknownValue(address, tfjsonpath.New("link_url"))),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectSensitiveValue(address, tfjsonpath.New("link_url")),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("link_url"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("invited_by_user_id"), knownvalue.Int64Exact(org.Self.ID)),
					acctest.After(func() {
						if now := links(t, org); len(now) != len(before)+1 {
							t.Errorf("%d links, there were %d before", len(now), len(before))
						}
					}),
				},
			},
			{Config: config(guests), ConfigPlanChecks: planned(plancheck.ExpectEmptyPlan())},
			{
				Config:            config(`invite_as = "guest"`), // without an end; what is not configured any more stays
				ConfigPlanChecks:  planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionReplace)),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("expiry_date"), knownvalue.Null())},
			}, {
				PreConfig:        func() { revokeNewest(t, org) },
				Config:           config(`invite_as = "guest"`),
				ConfigPlanChecks: planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate)),
			}, { // the server gives the rest not back
				ResourceName: address, ImportState: true, ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"channel_ids", "group_ids", "include_realm_default_subscriptions", "welcome_message_custom_text"},
			},
		},
	})
}

// revokeNewest revokes the link with the highest ID by hand.
func revokeNewest(t *testing.T, org *acctest.Organization) {
	t.Helper()
	var newest *zulip.Invitation
	for _, link := range links(t, org) {
		newest = link
	}
	if newest == nil {
		t.Fatal("there is no link")
	}
	if err := org.Client.RevokeInviteLink(context.Background(), newest.ID); err != nil {
		t.Fatal(err)
	}
}

// TestAccInviteLinkImported: taken over by an import block, a link is recorded, not replaced.
func TestAccInviteLinkImported(t *testing.T) {
	org := acctest.Start(t)
	url, err := org.Client.CreateInviteLink(context.Background(), zulip.InviteTerms{})
	if err != nil {
		t.Fatal(err)
	}
	var made *zulip.Invitation
	for _, link := range links(t, org) {
		if link.LinkURL == url {
			made = link
		}
	}
	const address, block = "zulip_invite_link.x", "resource \"zulip_invite_link\" \"x\" {\n  welcome_message_custom_text = \"Hello!\"\n}\n"
	sent := org.Sent()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: block + fmt.Sprintf("import {\n  to = %s\n  id = \"%d\"\n}\n", address, made.ID),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("id"), knownvalue.Int64Exact(made.ID)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("welcome_message_custom_text"), knownvalue.StringExact("Hello!")),
					acctest.After(func() { sent.Expect(t) }),
				},
			},
			{Config: block, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		},
	})
}
