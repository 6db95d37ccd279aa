# A test without a server: the provider runs an organization with the people in tests/organization.json.
#
#   terraform test

provider "zulip" {
  sandbox = {
    organization = "tests/organization.json"
    state        = ".terraform/access-test.db" # keeps the organization between run blocks
  }
}

run "access" {
  assert {
    condition = alltrue([
      for access in data.zulip_channel_access.alerts : contains(access.can_send_message_group.users, zulip_bot.alerts.email)
    ])
    error_message = "The bot cannot post alerts."
  }

  assert {
    condition     = alltrue([for access in data.zulip_channel_access.alerts : access.can_send_message_group.guest_count == 0])
    error_message = "Guests can post in a channel for alerts."
  }
}

# Lena moves from platform to support. She loses the permissions of her old team and gets those of the new one.
run "somebody_changes_teams" {
  variables {
    people = {
      "amara.okafor@example.com" = { team = "support", lead = true, role = "moderator" }
      "ines.moreau@example.com"  = { team = "product", lead = true, role = "owner" }
      "lena.fischer@example.com" = { team = "support", on_call = true }
      "tomas.berg@example.com"   = { team = "platform", lead = true, role = "administrator" }
    }
  }

  assert {
    condition     = !contains(data.zulip_channel_access.alerts["platform"].can_send_message_group.users, "lena.fischer@example.com")
    error_message = "Lena can post in the alerts of the team that she has left."
  }

  assert {
    condition     = contains(data.zulip_channel_access.alerts["support"].can_send_message_group.users, "lena.fischer@example.com")
    error_message = "Lena cannot post in the alerts of her new team."
  }
}

# The team support ends. Its groups are removed from what names them and its channels are archived, in one apply.
run "a_team_ends" {
  variables {
    teams = {
      platform = "Keeps everything running."
      product  = "Makes what customers see."
    }
    people = {
      "amara.okafor@example.com" = { team = "product", lead = true, role = "moderator" }
      "ines.moreau@example.com"  = { team = "product", lead = true, role = "owner" }
      "lena.fischer@example.com" = { team = "platform", on_call = true }
      "tomas.berg@example.com"   = { team = "platform", lead = true, role = "administrator" }
    }
  }

  assert {
    condition     = toset(zulip_user_group.staff.subgroups) == toset(["platform", "product"])
    error_message = "The staff has a team that ended."
  }

  assert {
    condition     = !contains(flatten([for access in data.zulip_channel_access.alerts : access.can_send_message_group.users]), "amara.okafor@example.com")
    error_message = "Amara can post in the alerts of the team that has ended."
  }
}
