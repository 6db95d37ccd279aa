# Proposed rules, all of which pass today. Keep the intentional ones, remove the accidental ones, and maintain this file
# with the configuration. Check them with terraform-provider-zulip audit --rules and review --rules.

# Owners and administrators can change everything. The limit leaves room for two more.
rule "few administrators" {
  role    = ["owner", "administrator"]
  at_most = 5
}

# People join only by invitation, and no pending invitation makes anyone a moderator or higher.
rule "no one joins without an invitation" {
  joining = "invited"
}

# No channel can be read without an account. Before you make one web-public, list the others in channels instead of *.
rule "nothing is on the web" {
  channels   = "*"
  permission = "read"
  never      = "internet"
}

# Permissions that let people in, or that affect the whole organization. To give one to others, remove it from the list.
rule "only administrators" {
  permission = [
    "manage_all_groups",
    "manage_billing",
    "create_multiuse_invite",
    "create_web_public_channel",
    "delete_any_message",
    "mention_many_users",
  ]
  only = "role:administrators"
}

# Guests can't read private channels. To let guests into one, list the others instead of privacy:private.
rule "no guests in private channels" {
  channels   = "privacy:private"
  permission = "read"
  only       = "role:members"
}

# Only the group's members can read these channels. Add new readers to the group.
rule "private to group:security" {
  channels   = "folder:Security"
  permission = ["read", "read_history", "join"]
  only       = "group:security"
}

# People who can add members to these user groups, or join them, control access to the channels above.
rule "only staff control access to private channels" {
  groups     = "security"
  permission = ["manage", "add_members", "join"]
  only       = "role:administrators"
}

# Only these people can post in these public channels. To let others post, add them to only.
rule "only role:moderators posts" {
  channels   = "announcements"
  permission = "send_message"
  only       = "role:moderators"
}

# A plan that removes more people fails. For a reorganization, raise the limit in the same pull request.
limit "removals" {
  people = 5
}

# Only one person is an owner: if that account is lost, no one can appoint another. After you add a second owner, add:
#   rule "two owners" {
#     role     = "owner"
#     at_least = 2
#   }

# 1 of 3 private channels have no rule about their readers here, because no single user group or role has
# exactly these people. For an important channel, create a user group of its readers and write a rule with only.
