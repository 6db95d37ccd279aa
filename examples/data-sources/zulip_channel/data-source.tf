data "zulip_channel" "general" {
  name = "general"
}

output "who_may_post" {
  value = data.zulip_channel.general.can_send_message_group
}
