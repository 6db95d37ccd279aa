# An owner who is removed from the list becomes a moderator, not a member.
resource "zulip_role_members" "owners" {
  role      = "owner"
  users     = ["ines.moreau@example.com"]
  demote_to = "moderator"
}
