# Rules that hold today, as a proposal: keep what is meant, remove what is chance, and change this file as you change the
# configuration. terraform-provider-zulip audit --rules proves them of the organization, review --rules of a plan.

# Owners and administrators can change everything. There is room for two more; raise it when you mean to.
rule "few administer the organization" {
  role    = ["owner", "administrator"]
  at_most = 5
}

# No stranger joins, and no pending invitation makes anyone a moderator or more.
rule "nobody joins without an invitation" {
  joining = "invited"
}

# No channel can be read without an account. Before you make one web-public, name the others in channels instead of *.
rule "nothing is on the web" {
  channels = "*"
  right    = "read"
  never    = "internet"
}

# Rights that let people in, or that reach across the organization. To give one to others, take it out of the list.
rule "what administrators alone can do" {
  right = [
    "manage_all_groups",
    "manage_billing",
    "create_multiuse_invite",
    "create_web_public_channel",
    "delete_any_message",
    "mention_many_users",
  ]
  only = "role:administrators"
}

# Guests stay out of what is private. For a channel that is for guests too, name the others instead of privacy:private.
rule "no guests in private channels" {
  channels = "privacy:private"
  right    = "read"
  only     = "role:members"
}

# Nobody else reads these, now and as the group changes. Whoever is to read them joins the group first.
rule "private to group:security" {
  channels = "folder:Security"
  right    = ["read", "read_history", "join"]
  only     = "group:security"
}

# Whoever can add to these user groups, or join them, decides who reads the channels above.
rule "who decides who reads private channels" {
  groups = "security"
  right  = ["manage", "add_members", "join"]
  only   = "role:administrators"
}

# What everybody reads here is from these. To let others post, add them to only.
rule "only role:moderators announces" {
  channels = "announcements"
  right    = "send_message"
  only     = "role:moderators"
}

# A plan that takes out more people at once is stopped. For a reorganization, raise it in the same pull request.
limit "removals" {
  people = 5
}

# There is one owner, and nobody to make another if the account is lost. With a second one, add:
#   rule "two owners" {
#     role     = "owner"
#     at_least = 2
#   }

# 1 of 3 private channels: no single user group or role has exactly the readers, so there is no rule here about who
# reads there. For what matters make a user group of the readers, and write a rule with only.
