# Kenji is added to the group. Its other members stay.
resource "zulip_user_group_membership" "kenji" {
  group   = "sre"
  members = ["kenji.sato@example.com"]
}
