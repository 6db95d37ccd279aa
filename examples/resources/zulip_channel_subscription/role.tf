# Administrators and owners are always subscribed to the channel.
data "zulip_user_group" "administrators" {
  name = "role:administrators"
}

resource "zulip_channel_subscription" "announcements" {
  channel = "announcements"
  users   = data.zulip_user_group.administrators.all_members
}
