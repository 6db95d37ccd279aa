# The channel, a slash, and the users, each by name or number. Nobody of them counts as added by the resource.
terraform import zulip_channel_subscription.leads incidents/ines.moreau@example.com,7
