data "zulip_users" "bots" {
  is_bot    = true
  is_active = true
}

# Kept in no state and no plan: hand it to a provider, or to a write-only attribute.
ephemeral "zulip_bot_api_key" "first" {
  bot = data.zulip_users.bots.users[0].email
}
