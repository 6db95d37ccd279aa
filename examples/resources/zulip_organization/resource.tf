resource "zulip_organization" "example" {
  name            = "Example"
  description     = "Where we work together."
  invite_required = true # only owners can set it

  message_content_edit_limit_seconds   = 3600
  message_content_delete_limit_seconds = "unlimited"
  topics_policy                        = "disable_empty_topic"

  can_mention_many_users_group = ["role:administrators"]
}
