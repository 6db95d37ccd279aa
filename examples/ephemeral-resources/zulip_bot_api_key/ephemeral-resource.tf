data "zulip_users" "bots" {
  is_bot    = true
  is_active = true
}

# No state or plan has the key. Pass it to a provider, or to a write-only attribute.
ephemeral "zulip_bot_api_key" "first" {
  bot = data.zulip_users.bots.users[0].email
}
