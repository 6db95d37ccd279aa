data "zulip_channel_topics" "general" {
  channel = "general"
}

output "topics" {
  value = data.zulip_channel_topics.general.topics[*].name
}
