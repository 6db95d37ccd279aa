# By name
terraform import zulip_custom_profile_field.team Team

# By ID
terraform import zulip_custom_profile_field.team 12
