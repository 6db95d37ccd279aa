resource "zulip_channel_subscription_settings" "general" {
  channel               = "general"
  color                 = "#76ce90"
  pin_to_top            = true
  desktop_notifications = false
}
