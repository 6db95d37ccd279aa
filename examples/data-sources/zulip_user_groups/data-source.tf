# The groups that somebody is in, directly or through other groups
data "zulip_user_groups" "of_lena" {
  user = "lena.fischer@example.com"
}

output "of_lena" {
  value = data.zulip_user_groups.of_lena.groups[*].name
}
