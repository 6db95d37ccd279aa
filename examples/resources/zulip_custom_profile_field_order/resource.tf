resource "zulip_custom_profile_field" "team" {
  field_type = "short_text"
  name       = "Team"
}

resource "zulip_custom_profile_field" "birthday" {
  field_type = "date"
  name       = "Birthday"
}

resource "zulip_custom_profile_field_order" "all" {
  field_ids = [
    zulip_custom_profile_field.birthday.id,
    zulip_custom_profile_field.team.id,
  ]
}
