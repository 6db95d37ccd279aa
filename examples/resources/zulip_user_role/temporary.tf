# Kenji is an administrator until the resource is destroyed.
resource "zulip_user_role" "kenji" {
  user       = "kenji.sato@example.com"
  role       = "administrator"
  on_destroy = "member"
}
