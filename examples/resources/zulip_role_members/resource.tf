# Exactly these are administrators. Whoever is made one by hand is named by the next plan, which takes the role away again.
resource "zulip_role_members" "administrators" {
  role = "administrator"
  users = [
    "tomas.berg@example.com",
    "terraform-bot@zulip.example.com", # the bot of the provider
  ]
}

# Whoever is no longer listed becomes a moderator, and not a member.
resource "zulip_role_members" "owners" {
  role      = "owner"
  users     = ["ines.moreau@example.com"]
  demote_to = "moderator"
}
