resource "zulip_channel" "onboarding" {
  name        = "onboarding"
  description = "First steps, and whom to ask."
}

# For those who begin this week. A new apply after the week makes the next link.
resource "zulip_invite_link" "starters" {
  expires_in_minutes = 7 * 24 * 60
  invite_as          = "guest"
  channel_ids        = [zulip_channel.onboarding.id]

  welcome_message_custom_text = "Welcome! Say hello in #**onboarding**."
}

# Whoever has the link can join: it is shown with "terraform output -raw starters_link" only.
output "starters_link" {
  value     = zulip_invite_link.starters.link_url
  sensitive = true
}
