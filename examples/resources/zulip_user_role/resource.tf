resource "zulip_user_role" "amara" {
  user = "amara.okafor@example.com"
  role = "moderator"
}
