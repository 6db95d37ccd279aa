resource "zulip_default_user_settings" "example" {
  color_scheme             = "automatic"
  email_address_visibility = "members"
  web_home_view            = "recent"
  twenty_four_hour_time    = true
  enable_digest_emails     = false
}
