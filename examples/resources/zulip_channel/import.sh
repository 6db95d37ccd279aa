# By name
terraform import zulip_channel.releases releases

# By number
terraform import zulip_channel.releases 12
