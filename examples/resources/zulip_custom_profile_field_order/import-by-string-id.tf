import {
  to = zulip_custom_profile_field_order.all
  id = "custom_profile_fields"
}
