# Amara joined by herself. Whoever gave her another role meanwhile is not overruled: the apply stops and says so.
resource "zulip_user_role" "amara" {
  user = "amara.okafor@example.com"
  role = "moderator"
}

# For as long as he stands in: afterwards he is a member again. By default a role stays.
resource "zulip_user_role" "kenji" {
  user       = "kenji.sato@example.com"
  role       = "administrator"
  on_destroy = "member"
}
