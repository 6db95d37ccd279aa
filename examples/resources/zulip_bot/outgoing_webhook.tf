# Zulip sends each question to payload_url, and posts the answer.
resource "zulip_bot" "helpdesk" {
  short_name  = "helpdesk"
  full_name   = "Helpdesk"
  bot_type    = "outgoing_webhook"
  payload_url = "https://helpdesk.example.com/zulip"
}
