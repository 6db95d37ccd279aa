# By email or ID
terraform import zulip_bot.alerts alerts-bot@chat.example.com
