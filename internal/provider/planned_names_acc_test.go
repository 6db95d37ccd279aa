package provider_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestAccSandboxNamesOfWhatIsPlanned writes a configuration whose resources name each other by name and by address: one
// apply creates all of it, the next plan is empty, and one destroy ends it.
func TestAccSandboxNamesOfWhatIsPlanned(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Configure(t, `
resource "zulip_user" "nadia" {
  email     = "nadia.haddad@example.com"
  full_name = "Nadia Haddad"
}
resource "zulip_user_role" "nadia" {
  user = zulip_user.nadia.email
  role = "moderator"
}
resource "zulip_user_status" "nadia" {
  user        = zulip_user.nadia.email
  status_text = "New here"
}
resource "zulip_user_group" "press" {
  name    = "press"
  members = [zulip_user.nadia.email]
}
resource "zulip_channel" "newsroom" {
  name                   = "newsroom"
  can_send_message_group = ["group:${zulip_user_group.press.name}", "user:${zulip_user.nadia.email}", "user:ines.moreau@example.com"]
}
resource "zulip_channel_subscription" "newsroom" {
  channel = zulip_channel.newsroom.name
  users   = [zulip_user.nadia.email, "ines.moreau@example.com"]
}
resource "zulip_message" "welcome" {
  channel    = zulip_channel.newsroom.name
  topic      = "rules"
  content    = "Be kind."
  depends_on = [zulip_channel_subscription.newsroom]
}
resource "zulip_bot" "wire" {
  short_name             = "wire"
  full_name              = "Wire"
  bot_type               = "generic"
  owner                  = zulip_user.nadia.email
  default_sending_stream = zulip_channel.newsroom.name
}
data "zulip_channel_access" "newsroom" {
  channel    = zulip_channel.newsroom.name
  depends_on = [zulip_channel_subscription.newsroom]
}
`)
	w.Must(t, "apply", "-auto-approve")
	w.Must(t, "plan", "-detailed-exitcode")
	w.Must(t, "destroy", "-auto-approve")
}
