# By name
terraform import zulip_custom_profile_field.shift Shift

# By number
terraform import zulip_custom_profile_field.shift 12
