import {
  to = zulip_custom_profile_field.shift
  id = "Shift" # or its number
}
