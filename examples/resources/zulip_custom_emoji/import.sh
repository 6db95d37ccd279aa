# The emoji's name or ID. The first plan takes the configured file for the one it was made from.
terraform import zulip_custom_emoji.kudos kudos
