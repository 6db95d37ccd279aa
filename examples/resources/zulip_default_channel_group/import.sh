# By name or ID. Write name:2024 for a group whose name is a number.
terraform import zulip_default_channel_group.developers Developers
