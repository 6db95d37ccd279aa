# The server knows this service and names the field.
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
