resource "zulip_channel" "news" {
  name        = "news"
  description = "What is new in the organization"
}

resource "zulip_user_group" "hosts" {
  name = "hosts"
}

resource "zulip_organization" "example" {
  name             = "Example"
  description      = "Where we work together."
  default_language = "en"
  invite_required  = true # only owners may set it

  new_stream_announcements_stream_id = zulip_channel.news.id
  signup_announcements_stream_id     = -1 # nowhere

  message_content_edit_limit_seconds   = 3600
  message_content_delete_limit_seconds = "unlimited"
  topics_policy                        = "disable_empty_topic"

  can_create_public_channel_group = ["role:moderators", "group:${zulip_user_group.hosts.name}"]
  can_mention_many_users_group    = ["role:administrators"]

  # terraform destroy takes the group out of the permission first, so that the group can be deactivated.
  on_destroy = "reset"
}
