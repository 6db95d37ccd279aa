resource "zulip_channel" "onboarding" {
  name        = "onboarding"
  description = "Your first steps, and who to ask."
}

# The link is valid for a week. An apply after that creates a new one.
resource "zulip_invite_link" "starters" {
  expires_in_minutes = 7 * 24 * 60
  invite_as          = "guest"
  channel_ids        = [zulip_channel.onboarding.id]

  welcome_message_custom_text = "Welcome! Say hello in #**onboarding**."
}

# Anyone who has the link can join, so only "terraform output -raw starters_link" shows it.
output "starters_link" {
  value     = zulip_invite_link.starters.link_url
  sensitive = true
}
