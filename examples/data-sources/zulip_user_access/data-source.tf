resource "zulip_channel" "alerts" {
  for_each = toset(["alerts-network", "alerts-storage"])

  name                   = each.key
  can_send_message_group = ["role:moderators", "user:terraform-bot@zulip.example.com"]
}

# With depends_on, it shows the access after an apply that changes these channels.
data "zulip_user_access" "bot" {
  user         = "terraform-bot@zulip.example.com"
  channel_name = "alerts-*"
  depends_on   = [zulip_channel.alerts]
}

check "the_bot_posts_alerts" {
  assert {
    condition = alltrue([
      for alerts in zulip_channel.alerts :
      contains(data.zulip_user_access.bot.channels[alerts.name].permissions, "can_send_message_group")
    ])
    error_message = "The bot cannot post in every channel for alerts."
  }
}

# No guest can post in a channel named alerts-*.
data "zulip_users" "guests" {
  role      = "guest"
  is_active = true
}

data "zulip_user_access" "guests" {
  for_each = { for guest in data.zulip_users.guests.users : guest.email => guest.id }

  user         = each.value
  channel_name = "alerts-*"
}

check "no_guest_posts_alerts" {
  assert {
    condition = alltrue(flatten([
      for guest in data.zulip_user_access.guests : [
        for channel in guest.channels : !contains(channel.permissions, "can_send_message_group")
      ]
    ]))
    error_message = "Guests can post in a channel for alerts."
  }
}

# The reason why Lena can post, here ["role:everyone"].
data "zulip_user_access" "lena" {
  user = "lena.fischer@example.com"

  lifecycle {
    postcondition {
      condition     = !contains(self.organization_permissions, "can_manage_all_groups")
      error_message = "${self.full_name} must not manage all groups."
    }
  }
}

output "why_lena_posts_in_general" {
  value = data.zulip_user_access.lena.channels["general"].through["can_send_message_group"]
}
