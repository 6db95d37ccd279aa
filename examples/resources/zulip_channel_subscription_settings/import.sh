# By the channel's name or ID
terraform import zulip_channel_subscription_settings.general general
