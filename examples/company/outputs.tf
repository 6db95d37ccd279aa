output "channels" {
  description = "URL of each channel in the web app, by name."
  value = {
    for channel in concat(
      [zulip_channel.welcome, zulip_channel.news, zulip_channel.leadership],
      values(zulip_channel.team),
      values(zulip_channel.team_internal),
      values(zulip_channel.alerts),
    ) : channel.name => channel.url
  }
}

output "alerts_bot" {
  description = "Email of the bot that posts alerts. Read its key with the ephemeral resource zulip_bot_api_key."
  value       = zulip_bot.alerts.email
}

# Anyone with the link can join. Show it with "terraform output -raw invite_link".
output "invite_link" {
  description = "Invitation link for new people."
  value       = zulip_invite_link.new_people.link_url
  sensitive   = true
}
