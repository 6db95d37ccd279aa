# A channel that everyone reads and few write in. What is left out is not managed.
resource "zulip_channel" "releases" {
  name        = "releases"
  description = "What ships, and when. Moderators write, everyone reads."
  privacy     = "public"
  is_default  = true

  can_send_message_group = ["role:moderators", "user:lena.fischer@example.com"]
}

# A private channel of which nothing disappears: administrators manage it, nobody deletes.
resource "zulip_channel" "security" {
  name                   = "security"
  description            = "Who is in is invited by the leads."
  privacy                = "private_shared_history"
  message_retention_days = "unlimited"

  can_administer_channel_group = ["role:administrators"]
  can_add_subscribers_group    = ["group:leads"]
  can_delete_any_message_group = ["role:nobody"]
  can_delete_own_message_group = ["role:nobody"]
}
