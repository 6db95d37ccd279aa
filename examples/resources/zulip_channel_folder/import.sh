# By name
terraform import zulip_channel_folder.incidents Incidents

# By number
terraform import zulip_channel_folder.incidents 3
