resource "zulip_channel" "alerts" {
  for_each = toset(["alerts-network", "alerts-storage"])

  name                   = each.key
  can_send_message_group = ["role:moderators", "user:terraform-bot@zulip.example.com"]
}

# The ID is a reference to the channel. With depends_on, every plan that changes a channel would show the access as known
# after apply.
data "zulip_channel_access" "alerts" {
  for_each = zulip_channel.alerts

  channel = each.value.id
}

# The alerts bot can post in every channel named alerts-*, and no guest can.
check "alerts" {
  assert {
    condition = alltrue([
      for access in data.zulip_channel_access.alerts :
      contains(access.can_send_message_group.users, "terraform-bot@zulip.example.com")
    ])
    error_message = "The alerts bot cannot post in every channel of alerts."
  }

  assert {
    condition = alltrue([
      for access in data.zulip_channel_access.alerts : access.can_send_message_group.guest_count == 0
    ])
    error_message = "Guests can post in a channel of alerts."
  }
}

# At least two people, not counting bots, can administer every private channel.
data "zulip_channels" "all" {}

data "zulip_channel_access" "private" {
  for_each = {
    for channel in data.zulip_channels.all.channels : channel.name => channel.id if startswith(channel.privacy, "private_")
  }

  channel = each.value
}

check "private_channels_have_two_administrators" {
  assert {
    condition = alltrue([
      for access in data.zulip_channel_access.private :
      access.can_administer_channel_group.count - access.can_administer_channel_group.bot_count >= 2
    ])
    error_message = "A private channel has fewer than two people who can administer it."
  }
}
