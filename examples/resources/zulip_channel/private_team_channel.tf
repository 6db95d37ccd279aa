# Leads subscribe others, and administrators change settings. The channel lets no one delete messages.
resource "zulip_channel" "security" {
  name                   = "security"
  description            = "Invitation only. Ask a lead to add you."
  privacy                = "private_shared_history"
  message_retention_days = "unlimited"

  can_administer_channel_group = ["role:administrators"]
  can_add_subscribers_group    = ["group:leads"]
  can_delete_any_message_group = []
  can_delete_own_message_group = []
}
