# Folders, and the channels of the company and of the teams. Those for alerts are in alerts.tf.
#
# A new channel is administered by the account that makes it, unless it says by whom.
# An archived channel keeps its name. With adopt_archived, what was destroyed can be applied again.

resource "zulip_channel_folder" "company" {
  name           = "Company"
  description    = "For everybody"
  adopt_archived = true
}

resource "zulip_channel_folder" "teams" {
  name           = "Teams"
  description    = "What each team works on"
  adopt_archived = true
}

resource "zulip_channel_folder" "alerts" {
  name           = "Alerts"
  description    = "What machines say"
  adopt_archived = true
}

resource "zulip_channel_folder_order" "this" {
  folder_ids = [
    zulip_channel_folder.company.id,
    zulip_channel_folder.teams.id,
    zulip_channel_folder.alerts.id,
  ]
}

# New people are in the default channels from their first day.
resource "zulip_channel" "welcome" {
  name           = "welcome"
  description    = "Where to start, and whom to ask."
  folder_id      = zulip_channel_folder.company.id
  is_default     = true
  adopt_archived = true

  can_administer_channel_group = ["role:administrators"]
}

resource "zulip_channel" "news" {
  name           = "news"
  description    = "What everybody should know. Leads write, everyone reads."
  folder_id      = zulip_channel_folder.company.id
  is_default     = true
  adopt_archived = true

  can_administer_channel_group = ["role:administrators"]
  can_send_message_group       = ["group:${zulip_user_group.team_leads.name}"]
  can_delete_any_message_group = ["role:administrators"]
}

# Private, and nothing in it disappears.
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

# The open room of each team ...
resource "zulip_channel" "team" {
  for_each = var.teams

  name           = "team-${each.key}"
  description    = each.value
  folder_id      = zulip_channel_folder.teams.id
  adopt_archived = true

  can_administer_channel_group = ["group:${zulip_user_group.leads[each.key].name}"]
  can_resolve_topics_group     = ["group:${zulip_user_group.team[each.key].name}"]
}

# ... and the closed one, which the team's members enter by themselves.
resource "zulip_channel" "team_internal" {
  for_each = var.teams

  name           = "team-${each.key}-internal"
  description    = "Among the people of ${each.key}."
  privacy        = "private_shared_history"
  folder_id      = zulip_channel_folder.teams.id
  adopt_archived = true

  can_administer_channel_group = ["group:${zulip_user_group.leads[each.key].name}"]
  can_subscribe_group          = ["group:${zulip_user_group.team[each.key].name}"]
  can_add_subscribers_group    = ["group:${zulip_user_group.leads[each.key].name}"]
}

resource "zulip_default_channel_group" "teams" {
  name        = "Teams"
  description = "The open rooms of all teams"
  channel_ids = [for channel in zulip_channel.team : channel.id]
}

resource "zulip_channel_subscription" "welcome" {
  channel = zulip_channel.welcome.id
  users   = keys(var.people)
}

# Kept up to date: a change edits the message where it stands.
resource "zulip_message" "welcome" {
  channel = zulip_channel.welcome.id
  topic   = "start here"
  content = <<-EOT
    **Welcome!** What everybody should know is in #**${zulip_channel.news.name}**. Each team has a room:
    ${join("\n", [for name, what in var.teams : "- #**${zulip_channel.team[name].name}** ${what}"])}
  EOT
}
