resource "zulip_user_group" "press" {
  name    = "press"
  members = ["lena.fischer@example.com"]
}

# Everyone can read the channel. Only moderators and the press group can post.
resource "zulip_channel" "press_releases" {
  name        = "press-releases"
  description = "Official announcements"
  privacy     = "public"

  can_send_message_group = ["role:moderators", "group:${zulip_user_group.press.name}"]
}
