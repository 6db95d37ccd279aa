package provider_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// leavers are a person and a bot who are to leave.
const leavers = `
resource "zulip_user" "nadia" {
  email     = "nadia.haddad@example.com"
  full_name = "Nadia Haddad"
}
resource "zulip_bot" "wire" {
  short_name = "wire"
  full_name  = "Wire"
  bot_type   = "generic"
}
`

// team names them, where LISTED is, wherever a configuration lists people, and where PERMITTED is, wherever it permits.
const team = `
resource "zulip_user_group" "press" {
  name             = "press"
  members          = ["kenji.sato@example.com", LISTED "ines.moreau@example.com"]
  can_manage_group = ["user:ines.moreau@example.com", PERMITTED]
}
resource "zulip_user_group" "alone" {
  name              = "alone"
  members           = [LISTED]
  can_mention_group = [PERMITTED]
}
resource "zulip_user_group" "more" {
  name = "more"
}
resource "zulip_user_group_membership" "more" {
  group   = zulip_user_group.more.name
  members = ["ines.moreau@example.com", LISTED]
}
resource "zulip_channel" "newsroom" {
  name                         = "newsroom"
  initial_subscribers          = ["ines.moreau@example.com", LISTED]
  can_send_message_group       = ["role:moderators", PERMITTED]
  can_administer_channel_group = [PERMITTED]
}
resource "zulip_channel_subscribers" "newsroom" {
  channel = zulip_channel.newsroom.name
  users   = zulip_user_group.press.members
}
resource "zulip_channel" "notes" {
  name = "notes"
}
resource "zulip_channel_subscription" "notes" {
  channel = zulip_channel.notes.name
  users   = ["ines.moreau@example.com", LISTED]
}
resource "zulip_organization" "this" {
  can_create_public_channel_group = ["role:members", PERMITTED]
}
`

// TestAccSandboxLeavers takes a person and a bot out of the configuration, and out of all lists and permissions that named them, in
// one apply: the CLI deactivates them before it changes the rest, or meanwhile, and plans the rest again when they are deactivated.
// A person may stay in the configuration with active = false.
func TestAccSandboxLeavers(t *testing.T) {
	named := func(listed, permitted string) string {
		return strings.NewReplacer("LISTED", listed, "PERMITTED", permitted).Replace(team)
	}
	const stay = `
resource "zulip_user" "nadia" {
  email     = "nadia.haddad@example.com"
  full_name = "Nadia Haddad"
  active    = false
}
`
	for name, config := range map[string]string{
		"references":       named("zulip_user.nadia.email, zulip_bot.wire.email,", `"user:${zulip_user.nadia.email}", "user:${zulip_bot.wire.email}"`),
		"IDs":              named("zulip_user.nadia.id, zulip_bot.wire.id,", `"user_id:${zulip_user.nadia.id}", "user_id:${zulip_bot.wire.id}"`),
		"literals":         named(`"nadia.haddad@example.com", "wire-bot@zulip.example.com",`, `"user:nadia.haddad@example.com", "user:wire-bot@zulip.example.com"`),
		"kept, by address": named("zulip_user.nadia.email, zulip_bot.wire.email,", `"user:${zulip_user.nadia.email}", "user:${zulip_bot.wire.email}"`),
	} {
		left := ""
		if name == "kept, by address" {
			left = stay
		}
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			w := acctest.NewWorkspace(t)
			w.Configure(t, leavers)
			w.Must(t, "apply", "-auto-approve")
			w.Configure(t, leavers+config)
			w.Must(t, "apply", "-auto-approve")
			w.Configure(t, left+named("", ""))
			w.Must(t, "apply", "-auto-approve")
			w.Must(t, "plan", "-detailed-exitcode")
			for _, address := range []string{"nadia.haddad@example.com", "wire-bot@zulip.example.com"} {
				if user, err := o.Client.UserByEmail(t.Context(), address); err != nil || user.IsActive {
					t.Errorf("%s is still active, or cannot be read: %v", address, err)
				}
			}
		})
	}
}
