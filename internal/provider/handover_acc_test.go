package provider_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// handedOver is managed by ines.moreau@example.com at first, and by tomas.berg@example.com in the end. MANAGERS are the
// emails of the account or the accounts that manage it, PRINCIPALS the same as principals.
const handedOver = `
resource "zulip_role_members" "owners" {
  role      = "owner"
  users     = [MANAGERS]
  demote_to = "member"
}
resource "zulip_user_group" "platform" {
  name             = "platform"
  members          = ["kenji.sato@example.com"]
  can_manage_group = [PRINCIPALS]
}
resource "zulip_channel" "board" {
  name                         = "board"
  privacy                      = "private_protected_history"
  can_administer_channel_group = [PRINCIPALS]
}
resource "zulip_channel_subscribers" "board" {
  channel = zulip_channel.board.id
  users   = ["kenji.sato@example.com", MANAGERS]
}
resource "zulip_channel" "announcements" {
  name                   = "announcements-2"
  can_send_message_group = ["role:moderators"]
}
resource "zulip_bot" "alerts" {
  short_name = "alerts"
  full_name  = "Alerts"
  owner      = "OWNER"
}
resource "zulip_invite_link" "members" {}
resource "zulip_linkifier" "ticket" {
  pattern      = "T(?P<id>[0-9]+)"
  url_template = "https://example.com/{id}"
}
`

// The steps of the guide "Choose an account" replace the account that Terraform uses. The last plan changes nothing.
func TestAccSandboxHandover(t *testing.T) {
	const ines, tomas = "ines.moreau@example.com", "tomas.berg@example.com"
	managedBy := func(owner string, managers ...string) string {
		var principals []string
		for _, one := range managers {
			principals = append(principals, `"user:`+one+`"`)
		}
		return strings.NewReplacer("MANAGERS", `"`+strings.Join(managers, `", "`)+`"`, "PRINCIPALS", strings.Join(principals, ", "), "OWNER", owner).Replace(handedOver)
	}
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Configure(t, managedBy(ines, ines))
	w.Must(t, "apply", "-auto-approve")

	w.Configure(t, managedBy(tomas, ines, tomas))
	w.Must(t, "apply", "-auto-approve")
	later := o.As(t, "admin")
	w.Must(t, "plan", "-detailed-exitcode")
	w.Must(t, "apply", "-auto-approve", "-replace=zulip_invite_link.members")
	left := managedBy(tomas, tomas) + `
import {
  to = zulip_user.ines
  id = "ines.moreau@example.com"
}
resource "zulip_user" "ines" {
  email     = "ines.moreau@example.com"
  full_name = "Ines Moreau"
  active    = false
}
`
	w.Configure(t, left)
	w.Must(t, "apply", "-auto-approve")
	w.Must(t, "plan", "-detailed-exitcode")
	if user, err := later.Client.UserByEmail(t.Context(), ines); err != nil || user.IsActive || user.Role != zulip.RoleMember {
		t.Errorf("the earlier account is %+v, %v", user, err)
	}
	if bot, err := later.Client.UserByEmail(t.Context(), "alerts-bot@zulip.example.com"); err != nil || !bot.IsActive {
		t.Errorf("the bot is %+v, %v", bot, err)
	}
	if links, err := later.Client.Invitations(t.Context()); err != nil || len(links) != 1 || links[0].InvitedByUserID != later.Self.ID {
		t.Errorf("the invitations are %v, %v", links, err)
	}
}

// An archived or deactivated object that a refresh removed from the state is not the resource's own any more: the
// plan says that the apply will fail, or that it will be reactivated.
func TestAccSandboxGone_PlannedAgain_Said(t *testing.T) {
	const config = `
resource "zulip_channel" "a" {
  name = "alpha"
}
resource "zulip_user_group" "a" {
  name = "alpha"
}
`
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Configure(t, config)
	w.Must(t, "apply", "-auto-approve")
	o.Archive(t, "alpha")
	for _, group := range o.Snapshot(t, "realm_user_groups").UserGroups {
		if group.Name == "alpha" {
			o.Call(t, http.MethodPost, fmt.Sprintf("/user_groups/%d/deactivate", group.ID), nil)
		}
	}
	printed := w.Must(t, "plan")
	for _, want := range []string{`An archived channel has the name "alpha", so the apply will fail`, `A deactivated user group has the name "alpha", so the apply will`} {
		if !strings.Contains(printed, want) {
			t.Errorf("the plan does not say %q:\n%s", want, printed)
		}
	}
	w.Configure(t, "provider \"zulip\" {\n  adopt_archived = true\n  adopt_deactivated = true\n}\n"+config)
	printed = w.Must(t, "plan")
	for _, want := range []string{"An archived channel will be unarchived", "A deactivated user group will be reactivated"} {
		if !strings.Contains(printed, want) {
			t.Errorf("the plan does not say %q:\n%s", want, printed)
		}
	}
	w.Must(t, "apply", "-auto-approve")
	w.Must(t, "plan", "-detailed-exitcode")
}
