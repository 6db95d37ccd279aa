# By name
terraform import zulip_user_group.platform platform

# By ID
terraform import zulip_user_group.platform 12
