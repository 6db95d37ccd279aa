resource "zulip_user" "nadia" {
  email     = "nadia.haddad@example.com"
  full_name = "Nadia Haddad"
  role      = "moderator"

  # Sent by e-mail when she is taken out of here.
  deactivation_notification_comment = "Thank you for everything!"
}
