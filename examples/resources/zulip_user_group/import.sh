# By name
terraform import zulip_user_group.platform platform

# By number
terraform import zulip_user_group.platform 12
