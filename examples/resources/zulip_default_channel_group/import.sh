# The group's name or ID. A group whose name is a number is written name:2024.
terraform import zulip_default_channel_group.developers Developers
