# The groups of a user, direct or through subgroups
data "zulip_user_groups" "of_lena" {
  user = "lena.fischer@example.com"
}

output "of_lena" {
  value = data.zulip_user_groups.of_lena.groups[*].name
}
