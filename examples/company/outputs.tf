output "channels" {
  description = "The address of each channel in the web app, by its name."
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
  description = "The address of the bot that posts alerts. Its key is read with the ephemeral resource zulip_bot_api_key."
  value       = zulip_bot.alerts.email
}

# Whoever has the link can join: it is shown by "terraform output -raw invite_link" only.
output "invite_link" {
  description = "The link by which new people join."
  value       = zulip_invite_link.new_people.link_url
  sensitive   = true
}
