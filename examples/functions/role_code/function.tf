# 300
output "moderator" {
  value = provider::zulip::role_code("moderator")
}
