resource "zulip_channel" "onboarding" {
  name        = "onboarding"
  description = "Your first steps, and who to ask."
}

# People who already have an account aren't invited. The next apply renews an expired invitation.
resource "zulip_invitation" "starters" {
  for_each = toset(["ada@example.com", "grace@example.com"])

  email              = each.key
  expires_in_minutes = 14 * 24 * 60
  channel_ids        = [zulip_channel.onboarding.id]
}

# People who haven't joined yet
output "invited" {
  value = [for invitation in zulip_invitation.starters : invitation.email if invitation.status == "pending"]
}
