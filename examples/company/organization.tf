# Settings of the whole organization.

# Attributes that are left out, such as the name, are not managed.
resource "zulip_organization" "this" {
  description = "Where the company works together."

  message_content_edit_limit_seconds   = 24 * 60 * 60
  message_content_delete_limit_seconds = "unlimited"

  can_create_public_channel_group  = ["role:moderators"]
  can_create_private_channel_group = ["role:members"]
  can_mention_many_users_group     = ["role:administrators"]
}

resource "zulip_default_user_settings" "this" {
  color_scheme             = "automatic"
  email_address_visibility = "members"
  enable_digest_emails     = false
  twenty_four_hour_time    = true
  web_home_view            = "inbox"
}

resource "zulip_domain" "company" {
  domain           = var.domain
  allow_subdomains = false
}

# A link for new people. After it expires, the next apply creates a new one.
resource "zulip_invite_link" "new_people" {
  expires_in_minutes                  = 30 * 24 * 60
  invite_as                           = "member"
  include_realm_default_subscriptions = true
  welcome_message_custom_text         = "Welcome! Start in #**${zulip_channel.welcome.name}**."
}

# Words that become links. The first match wins.

resource "zulip_linkifier" "ticket" {
  pattern      = "TICKET-(?P<id>[0-9]+)"
  url_template = "${var.tickets_url}/{id}"
}

resource "zulip_linkifier" "commit" {
  pattern      = "(?P<repository>[a-z-]+)@(?P<commit>[0-9a-f]{7,40})"
  url_template = "${var.forge_url}/{repository}/commit/{commit}"
}

resource "zulip_linkifier_order" "this" {
  linkifier_ids = [zulip_linkifier.ticket.id, zulip_linkifier.commit.id]
}

# Fields of user profiles.

resource "zulip_custom_profile_field" "working_hours" {
  field_type = "short_text"
  name       = "Working hours"
  hint       = "With your time zone"
}

resource "zulip_custom_profile_field" "office" {
  field_type                 = "select"
  name                       = "Office"
  display_in_profile_summary = true
  options = [
    { key = "lisbon", text = "Lisbon" },
    { key = "remote", text = "Remote" },
  ]
}

resource "zulip_custom_profile_field_order" "this" {
  field_ids = [zulip_custom_profile_field.office.id, zulip_custom_profile_field.working_hours.id]
}

resource "zulip_code_playground" "python" {
  name              = "Python"
  pygments_language = "Python"
  url_template      = "${var.forge_url}/play/python?code={code}"
}

resource "zulip_custom_emoji" "kudos" {
  name = "kudos"
  file = "${path.module}/kudos.png"
}
