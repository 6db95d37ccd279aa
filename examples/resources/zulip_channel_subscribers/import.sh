# By the channel's name
terraform import zulip_channel_subscribers.on_call on-call

# By the channel's ID
terraform import zulip_channel_subscribers.on_call 12
