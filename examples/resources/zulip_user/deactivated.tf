resource "zulip_user" "amir" {
  email     = "amir.khan@example.com"
  full_name = "Amir Khan"
  active    = true # false deactivates the account
}
