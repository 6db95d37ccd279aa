# Folders, and the channels of the company and of the teams. The alerts channels are in alerts.tf.
#
# Set can_administer_channel_group on each channel. Otherwise the account that creates it administers it.
# An archived channel keeps its name. With adopt_archived, an apply after a destroy reuses it.

resource "zulip_channel_folder" "company" {
  name           = "Company"
  description    = "For everyone"
  adopt_archived = true
}

resource "zulip_channel_folder" "teams" {
  name           = "Teams"
  description    = "What each team works on"
  adopt_archived = true
}

resource "zulip_channel_folder" "alerts" {
  name           = "Alerts"
  description    = "Alerts from monitoring"
  adopt_archived = true
}

resource "zulip_channel_folder_order" "this" {
  folder_ids = [
    zulip_channel_folder.company.id,
    zulip_channel_folder.teams.id,
    zulip_channel_folder.alerts.id,
  ]
}

# New users are subscribed to default channels.
resource "zulip_channel" "welcome" {
  name           = "welcome"
  description    = "Where to start, and who to ask."
  folder_id      = zulip_channel_folder.company.id
  is_default     = true
  adopt_archived = true

  can_administer_channel_group = ["role:administrators"]
}

resource "zulip_channel" "news" {
  name           = "news"
  description    = "Company news. Leads post, everyone reads."
  folder_id      = zulip_channel_folder.company.id
  is_default     = true
  adopt_archived = true

  can_administer_channel_group = ["role:administrators"]
  can_send_message_group       = ["group:${zulip_user_group.team_leads.name}"]
  can_delete_any_message_group = ["role:administrators"]
}

# Private, and no one can delete messages.
resource "zulip_channel" "leadership" {
  name           = "leadership"
  description    = "Plans and people."
  privacy        = "private_shared_history"
  folder_id      = zulip_channel_folder.company.id
  adopt_archived = true

  can_administer_channel_group = ["role:administrators"]
  can_subscribe_group          = ["group:${zulip_user_group.team_leads.name}"]
  can_add_subscribers_group    = ["group:${zulip_user_group.team_leads.name}"]
  can_delete_any_message_group = ["role:nobody"]
  can_delete_own_message_group = ["role:nobody"]
}

resource "zulip_channel_subscription" "leadership" {
  channel = zulip_channel.leadership.id
  users   = [for email, person in var.people : email if person.lead]
}

# The public channel of each team ...
resource "zulip_channel" "team" {
  for_each = var.teams

  name           = "team-${each.key}"
  description    = each.value
  folder_id      = zulip_channel_folder.teams.id
  adopt_archived = true

  can_administer_channel_group = ["group:${zulip_user_group.leads[each.key].name}"]
  can_resolve_topics_group     = ["group:${zulip_user_group.team[each.key].name}"]
}

# ... and the private one, which the team's members can join on their own.
resource "zulip_channel" "team_internal" {
  for_each = var.teams

  name           = "team-${each.key}-internal"
  description    = "Internal to the team ${each.key}."
  privacy        = "private_shared_history"
  folder_id      = zulip_channel_folder.teams.id
  adopt_archived = true

  can_administer_channel_group = ["group:${zulip_user_group.leads[each.key].name}"]
  can_subscribe_group          = ["group:${zulip_user_group.team[each.key].name}"]
  can_add_subscribers_group    = ["group:${zulip_user_group.leads[each.key].name}"]
}

resource "zulip_default_channel_group" "teams" {
  name        = "Teams"
  description = "The public channels of all teams"
  channel_ids = [for channel in zulip_channel.team : channel.id]
}

resource "zulip_channel_subscription" "welcome" {
  channel = zulip_channel.welcome.id
  users   = keys(var.people)
}

# A change edits the message in place.
resource "zulip_message" "welcome" {
  channel = zulip_channel.welcome.id
  topic   = "start here"
  content = <<-EOT
    **Welcome!** Company news is in #**${zulip_channel.news.name}**. Each team has a channel:
    ${join("\n", [for name, what in var.teams : "- #**${zulip_channel.team[name].name}** ${what}"])}
  EOT
}
