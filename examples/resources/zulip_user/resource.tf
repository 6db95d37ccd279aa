resource "zulip_user" "nadia" {
  email     = "nadia.haddad@example.com"
  full_name = "Nadia Haddad"
  role      = "moderator"

  # Sent by e-mail when she is taken out of here.
  deactivation_notification_comment = "Thank you for everything!"
}

# Stays in the configuration when he leaves.
resource "zulip_user" "amir" {
  email     = "amir.khan@example.com"
  full_name = "Amir Khan"
  active    = true # false deactivates the account
}
