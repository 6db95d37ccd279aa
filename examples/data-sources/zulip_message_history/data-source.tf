resource "zulip_message" "rules" {
  channel = "general"
  topic   = "house rules"
  content = "Be kind."
}

data "zulip_message_history" "rules" {
  message_id = zulip_message.rules.id
}

output "edits" {
  value = length(data.zulip_message_history.rules.message_history) - 1
}
