package organization_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// TestAccOrganization is the life of the resource through a real CLI: set, planned empty, changed, changed by hand and
// repaired, imported, let go. The organization gets back what it had.
func TestAccOrganization(t *testing.T) {
	org := acctest.Start(t)
	const address, other = organizationTypeName + ".x", "data." + organizationTypeName + ".x"
	before := organizationHeld(t, org)
	t.Cleanup(func() { restore(t, org, before) })
	organizationByHand(t, org, map[string]string{
		"description": "before", "message_content_edit_limit_seconds": "1200", gifRating(before): "1",
		"can_add_custom_emoji_group": text(t, zulip.GroupSettingChange{New: role(t, org, "role:members")}),
	})

	config := func(description, limit, emoji string) string {
		return fmt.Sprintf(`
resource "zulip_channel" "news" {
  name = %q
}

resource "zulip_organization" "x" {
  description                        = %q
  message_content_edit_limit_seconds = %q
  giphy_rating                       = "g"
  signup_announcements_stream_id     = zulip_channel.news.id
  can_add_custom_emoji_group         = [%q]
}

data "zulip_organization" "x" {
  depends_on = [zulip_organization.x]
}
`, org.Prefix+"news", description, limit, emoji)
	}
	value := func(address, attribute string, want knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), want)
	}
	updates := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}}
	sent := org.Sent()
	sentOnly := func(want string) statecheck.StateCheck {
		return acctest.After(func() {
			for _, request := range sent.Writes() {
				if request.Method == http.MethodPatch && request.Path != "/realm" {
					t.Errorf("sent %v", request)
				}
			}
			sent.Expect(t, want)
		})
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config("Ours", "unlimited", "role:moderators"),
				ConfigStateChecks: []statecheck.StateCheck{
					value(address, "message_content_edit_limit_seconds", knownvalue.StringExact("unlimited")),
					value(address, "name", knownvalue.NotNull()),
					value(other, "description", knownvalue.StringExact("Ours")),
					value(other, "giphy_rating", knownvalue.StringExact("g")),
				},
			}, {
				Config:           config("Ours", "unlimited", "role:moderators"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			}, {
				PreConfig:         func() { sent = org.Sent() },
				Config:            config("Ours", "3600", "role:administrators"),
				ConfigPlanChecks:  updates,
				ConfigStateChecks: []statecheck.StateCheck{sentOnly("PATCH can_add_custom_emoji_group message_content_edit_limit_seconds")},
			}, {
				PreConfig: func() {
					organizationByHand(t, org, map[string]string{"description": "theirs", gifRating(before): "1"})
					sent = org.Sent()
				},
				Config:            config("Ours", "3600", "role:administrators"),
				ConfigPlanChecks:  updates,
				ConfigStateChecks: []statecheck.StateCheck{sentOnly("PATCH description")},
			}, {
				ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateId: "any-word",
			},
		},
	})
	if now := organizationHeld(t, org); string(now.Settings["description"]) != `"Ours"` || string(now.Settings["message_content_edit_limit_seconds"]) != "3600" {
		t.Errorf("the server holds %s: what was set is to stay", now.Settings["description"])
	}
}

// gifRating is what the server calls the setting giphy_rating.
func gifRating(realm *zulip.Realm) string {
	if _, renamed := realm.Settings["gif_rating_policy"]; renamed {
		return "gif_rating_policy"
	}
	return "giphy_rating"
}

// restore gives the organization back what the test changes.
func restore(t *testing.T, org *acctest.Organization, before *zulip.Realm) {
	t.Helper()
	var description string
	if err := json.Unmarshal(before.Settings["description"], &description); err != nil {
		t.Fatal(err)
	}
	limit := string(before.Settings["message_content_edit_limit_seconds"])
	if limit == "null" {
		limit = `"unlimited"`
	}
	organizationByHand(t, org, map[string]string{
		"description": description, "message_content_edit_limit_seconds": limit,
		gifRating(before):                string(before.Settings[gifRating(before)]),
		"signup_announcements_stream_id": string(before.Settings["signup_announcements_stream_id"]),
		"can_add_custom_emoji_group":     text(t, zulip.GroupSettingChange{New: before.Permissions["can_add_custom_emoji_group"]}),
	})
}
