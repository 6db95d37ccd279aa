resource "zulip_custom_profile_field" "team" {
  field_type                 = "short_text"
  name                       = "Team"
  hint                       = "Where you work"
  display_in_profile_summary = true
}
