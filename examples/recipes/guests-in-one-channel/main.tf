resource "zulip_channel" "acme" {
  name        = "project-acme"
  description = "Shared with our partner Acme. Ask a lead to add you."
  privacy     = "private_shared_history"

  can_add_subscribers_group    = ["group:leads"]
  can_administer_channel_group = ["role:administrators"]
}

resource "zulip_channel_subscription" "acme" {
  channel = zulip_channel.acme.id
  users   = ["paul.dubois@example.com", "kenji.sato@example.com"]
}

# A guest who hasn't joined yet.
resource "zulip_invitation" "acme" {
  email       = "mia.jones@acme.example.net"
  invite_as   = "guest"
  channel_ids = [zulip_channel.acme.id]
}
