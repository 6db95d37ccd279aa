# https://chat.example.com/#narrow/channel/12-on-call
output "on_call" {
  value = provider::zulip::channel_link("https://chat.example.com", 12, "on call")
}
