data "zulip_users" "administrators" {
  role = "administrator"
}

output "administrators" {
  value = data.zulip_users.administrators.users[*].full_name
}
