# One more person in a group that others fill too.
resource "zulip_user_group_membership" "kenji" {
  group   = "sre"
  members = ["kenji.sato@example.com"]
}
