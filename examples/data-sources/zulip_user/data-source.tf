data "zulip_user" "lena" {
  email = "lena.fischer@example.com"
}

# The provider's own account.
data "zulip_user" "me" {}

output "role" {
  value = data.zulip_user.lena.role
}
