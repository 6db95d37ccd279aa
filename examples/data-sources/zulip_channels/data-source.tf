data "zulip_channels" "all" {}

# Public channels in which everyone can post.
output "open" {
  value = [
    for channel in data.zulip_channels.all.channels : channel.name
    if channel.privacy == "public" && contains(channel.can_send_message_group, "role:everyone")
  ]
}
