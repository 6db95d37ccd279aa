resource "zulip_channel" "company_news" {
  name        = "company-news"
  description = "News for everyone. Moderators post."
  is_default  = true # new users are subscribed

  can_send_message_group       = ["role:moderators"]
  can_administer_channel_group = ["role:administrators"]
}
