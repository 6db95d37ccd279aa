resource "zulip_custom_profile_field" "team" {
  field_type                 = "short_text"
  name                       = "Team"
  hint                       = "Where you work"
  display_in_profile_summary = true
}

# Texts and their order may change: people keep what they chose as long as its key stays.
resource "zulip_custom_profile_field" "shift" {
  field_type = "select"
  name       = "Shift"
  options = [
    { key = "day", text = "Day" },
    { key = "night", text = "Night" },
  ]
}

# The server knows this service and gives the field its name.
resource "zulip_custom_profile_field" "github" {
  field_type = "external_account"
  subtype    = "github"
}

resource "zulip_custom_profile_field" "forge" {
  field_type  = "external_account"
  name        = "Forge"
  subtype     = "custom"
  url_pattern = "https://forge.example.com/%(username)s"
}
