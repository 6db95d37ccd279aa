# These two hear of incidents, whoever else does.
resource "zulip_channel_subscription" "leads" {
  channel = "incidents"
  users   = ["ines.moreau@example.com", "kenji.sato@example.com"]
}

# Everybody who may administer the organization starts in the channel of announcements, and may leave it.
resource "zulip_channel_subscription" "announcements" {
  channel     = "announcements"
  groups      = ["role:administrators"]
  resubscribe = false
}
