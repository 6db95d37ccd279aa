resource "zulip_bot" "alerts" {
  short_name = "alerts"
  full_name  = "Alerts"
  bot_type   = "incoming_webhook"
  owner      = "tomas.berg@example.com"
}

resource "zulip_channel" "alerts" {
  name        = "alerts"
  description = "Alerts from monitoring. Discuss them in #incidents."

  can_send_message_group       = ["user:${zulip_bot.alerts.email}", "group:sre"]
  can_administer_channel_group = ["role:administrators"]
}

# The plan fails this check if the bot could not post.
data "zulip_channel_access" "alerts" {
  channel    = zulip_channel.alerts.id
  depends_on = [zulip_channel.alerts]
}

check "alerts_arrive" {
  assert {
    condition     = contains(data.zulip_channel_access.alerts.can_send_message_group.users, zulip_bot.alerts.email)
    error_message = "The bot ${zulip_bot.alerts.email} cannot post in #${zulip_channel.alerts.name}."
  }
}
