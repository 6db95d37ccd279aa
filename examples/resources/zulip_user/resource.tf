resource "zulip_user" "nadia" {
  email     = "nadia.haddad@example.com"
  full_name = "Nadia Haddad"
  role      = "moderator"

  # Sent by email when this resource is destroyed.
  deactivation_notification_comment = "Thank you for everything!"
}
