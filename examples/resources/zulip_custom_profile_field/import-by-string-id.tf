import {
  to = zulip_custom_profile_field.team
  id = "Team" # or its ID
}
