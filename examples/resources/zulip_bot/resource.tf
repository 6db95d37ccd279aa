resource "zulip_bot" "alerts" {
  short_name             = "alerts"
  full_name              = "Alerts"
  bot_type               = "incoming_webhook"
  default_sending_stream = "incidents"
  owner                  = "tomas.berg@example.com"
  avatar_file            = "${path.module}/alerts.png"
}

# Asked by people, and answers through this address.
resource "zulip_bot" "helpdesk" {
  short_name  = "helpdesk"
  full_name   = "Helpdesk"
  bot_type    = "outgoing_webhook"
  payload_url = "https://helpdesk.example.com/zulip"
}
