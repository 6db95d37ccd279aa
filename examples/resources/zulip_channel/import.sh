# By name
terraform import zulip_channel.releases releases

# By ID
terraform import zulip_channel.releases 12
