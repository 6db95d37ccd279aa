locals {
  channel = provider::zulip::channel_link("https://chat.example.com", 12, "on call")
  topic   = provider::zulip::topic_link(local.channel, "2026-03-01 outage")
}

output "first_report" {
  value = provider::zulip::message_link(local.topic, 3071)
}
