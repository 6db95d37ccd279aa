# By name or ID
terraform import zulip_custom_emoji.kudos kudos
