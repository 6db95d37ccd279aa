# Monitoring posts in alerts channels through one bot. The people on call answer there.

resource "zulip_bot" "alerts" {
  short_name        = "alerts"
  full_name         = "Alerts"
  bot_type          = "incoming_webhook"
  adopt_deactivated = true
}

resource "zulip_channel" "alerts" {
  for_each = var.teams

  name           = "alerts-${each.key}"
  description    = "Alerts for ${each.key}."
  folder_id      = zulip_channel_folder.alerts.id
  adopt_archived = true

  can_administer_channel_group = ["role:administrators"]
  can_send_message_group = [
    "group:${zulip_user_group.on_call[each.key].name}",
    "user:${zulip_bot.alerts.email}",
  ]
}

# Exactly the people on call. A change of the group subscribes and unsubscribes in the same apply.
resource "zulip_channel_subscribers" "alerts" {
  for_each = var.teams

  channel = zulip_channel.alerts[each.key].id
  users   = zulip_user_group.on_call[each.key].members
}

data "zulip_channel_access" "alerts" {
  for_each   = var.teams
  channel    = zulip_channel.alerts[each.key].id
  depends_on = [zulip_channel.alerts, zulip_user_group.on_call] # as it is after the apply
}

# Every plan and apply checks that the bot can post in each channel.
check "alerts_arrive" {
  assert {
    condition = alltrue([
      for access in data.zulip_channel_access.alerts : contains(access.can_send_message_group.users, zulip_bot.alerts.email)
    ])
    error_message = "The bot ${zulip_bot.alerts.email} cannot post in every channel for alerts."
  }
}
