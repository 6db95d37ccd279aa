# Each team is a group with two subgroups: its leads, and the people on call. The company's groups consist of the teams'
# groups, so that each person is listed once.
#
#   staff         platform, product, support
#   platform      its members, platform-leads, platform-on-call
#   team-leads    platform-leads, product-leads, support-leads
#   on-call       platform-on-call, product-on-call, support-on-call
#
# Removing a team from var.teams works in one apply: its groups are removed from what names them, and then deactivated.
#
# Set can_manage_group on each group. Otherwise the account that creates it manages it.
# A deactivated group keeps its name. With adopt_deactivated, an apply after a destroy reuses it.

resource "zulip_user_group" "leads" {
  for_each = var.teams

  name                  = "${each.key}-leads"
  description           = "Leads of ${each.key}"
  members               = [for email, person in var.people : email if person.team == each.key && person.lead]
  can_manage_group      = ["role:administrators"]
  can_add_members_group = ["role:administrators"]
  adopt_deactivated     = true
}

resource "zulip_user_group" "on_call" {
  for_each = var.teams

  name                  = "${each.key}-on-call"
  description           = "On call for ${each.key}"
  members               = [for email, person in var.people : email if person.team == each.key && person.on_call]
  can_manage_group      = ["role:administrators"]
  can_add_members_group = ["role:administrators"]
  adopt_deactivated     = true
}

resource "zulip_user_group" "team" {
  for_each = var.teams

  name        = each.key
  description = each.value
  members     = [for email, person in var.people : email if person.team == each.key && !person.lead && !person.on_call]
  subgroups   = [zulip_user_group.leads[each.key].name, zulip_user_group.on_call[each.key].name]

  can_manage_group      = ["role:administrators"]
  can_add_members_group = ["role:administrators"]
  can_mention_group     = ["role:members"]
  adopt_deactivated     = true
}

resource "zulip_user_group" "staff" {
  name                  = "staff"
  description           = "Everyone in a team"
  subgroups             = [for team in zulip_user_group.team : team.name]
  can_manage_group      = ["role:administrators"]
  can_add_members_group = ["role:administrators"]
  can_mention_group     = ["group:${zulip_user_group.team_leads.name}"]
  adopt_deactivated     = true
}

resource "zulip_user_group" "team_leads" {
  name                  = "team-leads"
  description           = "Leads of all teams"
  subgroups             = [for leads in zulip_user_group.leads : leads.name]
  can_manage_group      = ["role:administrators"]
  can_add_members_group = ["role:administrators"]
  adopt_deactivated     = true
}

# Other tools can add members to this group too: only the groups listed here are managed.
resource "zulip_user_group" "on_call_of_all" {
  name                  = "on-call"
  description           = "On call for anything"
  can_manage_group      = ["role:administrators"]
  can_add_members_group = ["role:administrators"]
  adopt_deactivated     = true
}

resource "zulip_user_group_membership" "on_call_of_all" {
  group     = zulip_user_group.on_call_of_all.id
  subgroups = [for on_call in zulip_user_group.on_call : on_call.name]
}
