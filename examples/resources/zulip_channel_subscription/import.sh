# CHANNEL/USERS, by name, email or ID
terraform import zulip_channel_subscription.leads incidents/ines.moreau@example.com,7
