# Answers stay when you change the text or the position of an option, as long as its key stays.
resource "zulip_custom_profile_field" "shift" {
  field_type = "select"
  name       = "Shift"
  options = [
    { key = "day", text = "Day" },
    { key = "night", text = "Night" },
  ]
}
