resource "zulip_role_members" "administrators" {
  role = "administrator"
  users = [
    "tomas.berg@example.com",
    "terraform-bot@zulip.example.com", # the provider's account
  ]
}
