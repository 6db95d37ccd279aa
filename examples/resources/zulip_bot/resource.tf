resource "zulip_bot" "alerts" {
  short_name             = "alerts"
  full_name              = "Alerts"
  bot_type               = "incoming_webhook"
  default_sending_stream = "incidents"
  owner                  = "tomas.berg@example.com"
  avatar_file            = "${path.module}/alerts.png"
}
