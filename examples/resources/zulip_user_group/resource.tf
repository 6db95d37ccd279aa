resource "zulip_user_group" "platform" {
  name        = "platform"
  description = "Runs our servers and networks."
  members     = ["lena.fischer@example.com", "kenji.sato@example.com"]

  can_manage_group  = ["role:administrators"]
  can_mention_group = ["role:members"]
}
