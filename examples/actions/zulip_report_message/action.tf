action "zulip_report_message" "spam" {
  config {
    message_id  = 100001
    report_type = "spam"
    description = "The same advertisement as yesterday."
  }
}
