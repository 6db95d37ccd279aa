resource "zulip_channel" "onboarding" {
  name        = "onboarding"
  description = "First steps, and whom to ask."
}

# For those who begin this month. Whoever has an account already is not invited; an invitation that has expired is sent again by
# the next apply.
resource "zulip_invitation" "starters" {
  for_each = toset(["ada@example.com", "grace@example.com"])

  email              = each.key
  expires_in_minutes = 14 * 24 * 60
  channel_ids        = [zulip_channel.onboarding.id]
}

# Who has not joined yet
output "invited" {
  value = [for invitation in zulip_invitation.starters : invitation.email if invitation.status == "pending"]
}
