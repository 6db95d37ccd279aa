resource "zulip_channel_subscription" "leads" {
  channel = "incidents"
  users   = ["ines.moreau@example.com", "kenji.sato@example.com"]
}
