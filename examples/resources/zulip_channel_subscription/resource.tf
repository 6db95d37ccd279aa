# These two hear of incidents, whoever else does.
resource "zulip_channel_subscription" "leads" {
  channel = "incidents"
  users   = ["ines.moreau@example.com", "kenji.sato@example.com"]
}

# Everybody who may administer the organization is in the channel of announcements.
data "zulip_user_group" "administrators" {
  name = "role:administrators"
}

resource "zulip_channel_subscription" "announcements" {
  channel = "announcements"
  users   = data.zulip_user_group.administrators.all_members
}
