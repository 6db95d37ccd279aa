terraform {
  required_version = ">= 1.5"

  required_providers {
    zulip = {
      source = "zulip-iac/zulip"
    }
  }
}

locals {
  file   = yamldecode(file("${path.module}/teams.yaml"))
  people = { for email, person in local.file.people : lower(email) => merge({ lead = false, role = "member", invite = false }, person) }
  joined = [for user in data.zulip_users.people.users : lower(user.email)]
}

data "zulip_users" "people" {
  is_bot    = false
  is_active = true
}

# The provider's account
data "zulip_user" "self" {}

module "team" {
  source   = "./modules/team"
  for_each = local.file.teams

  name        = each.key
  description = each.value
  leads       = [for email, person in local.people : email if person.team == each.key && person.lead]
  members     = [for email, person in local.people : email if person.team == each.key && !person.lead]
  account     = data.zulip_user.self.email
}

# Newcomers get an email, and join with their role.
resource "zulip_invitation" "newcomer" {
  for_each = { for email, person in local.people : email => person if person.invite }

  email     = each.key
  invite_as = each.value.role
}

# Roles of the people who have joined
resource "zulip_user_role" "person" {
  for_each = { for email, person in local.people : email => person if contains(local.joined, email) }

  user = each.key
  role = each.value.role

  # A person you remove becomes a member. Owners keep their role, because the last owner can't be removed.
  on_destroy = contains(["administrator", "moderator"], each.value.role) ? "member" : "keep"
}
