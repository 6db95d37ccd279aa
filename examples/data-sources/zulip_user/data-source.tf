data "zulip_user" "lena" {
  email = "lena.fischer@example.com"
}

output "role" {
  value = data.zulip_user.lena.role
}
