# By name
terraform import zulip_channel_folder.incidents Incidents

# By ID
terraform import zulip_channel_folder.incidents 3
