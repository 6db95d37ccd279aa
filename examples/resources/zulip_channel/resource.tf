# Everyone reads, and moderators and Lena post. Attributes that you leave out are not managed.
resource "zulip_channel" "releases" {
  name        = "releases"
  description = "What ships, and when. Moderators post, everyone reads."
  is_default  = true

  can_send_message_group = ["role:moderators", "user:lena.fischer@example.com"]
}
