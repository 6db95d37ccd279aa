# One or more of every resource, as somebody configures it for good. See releases_acc_test.go.

terraform {
  required_providers {
    zulip = { source = "provider.test/zulip-iac/zulip" }
  }
}

provider "zulip" {}

resource "zulip_channel_folder" "operations" {
  name        = "Running things"
  description = "What runs, and what does not"
}

resource "zulip_channel_folder" "company" {
  name = "Company"
}

resource "zulip_channel_folder_order" "all" {
  folder_ids = [zulip_channel_folder.company.id, zulip_channel_folder.operations.id]
}

resource "zulip_channel" "bare" {
  name = "bare"
}

resource "zulip_channel" "releases" {
  name        = "releases"
  description = "What ships, and when. Moderators write, everyone reads."
  privacy     = "public"
  is_default  = true
  folder_id   = zulip_channel_folder.operations.id

  can_send_message_group = ["role:moderators", "group:platform", "user:lena.fischer@example.com"]

  depends_on = [zulip_user_group.platform]
}

resource "zulip_channel" "security" {
  name                   = "security"
  description            = "Who is in is invited by the leads."
  privacy                = "private_shared_history"
  topics_policy          = "disable_empty_topic"
  message_retention_days = 90

  can_administer_channel_group = ["role:administrators"]
  can_add_subscribers_group    = ["group:leads"]
  can_delete_any_message_group = ["role:nobody"]
  can_delete_own_message_group = []
}

resource "zulip_channel_subscribers" "security" {
  channel = zulip_channel.security.id
  users   = ["ines.moreau@example.com", "lena.fischer@example.com", "amara.okafor@example.com"]
}

resource "zulip_channel_subscription" "leads" {
  channel = "incidents"
  users   = ["ines.moreau@example.com", "kenji.sato@example.com"]
}

resource "zulip_channel_subscription_settings" "general" {
  channel    = "general"
  color      = "#76ce90"
  pin_to_top = true
}

resource "zulip_default_channel_group" "developers" {
  name        = "Developers"
  description = "What developers read"
  channel_ids = [zulip_channel.bare.id]
}

resource "zulip_user" "nadia" {
  email     = "nadia.haddad@example.com"
  full_name = "Nadia Haddad"
  role      = "moderator"
}

resource "zulip_user_role" "amara" {
  user = "amara.okafor@example.com"
  role = "moderator"
}

resource "zulip_user_status" "lena" {
  user        = "lena.fischer@example.com"
  status_text = "On leave until Monday"
  emoji_name  = "palm_tree"
}

resource "zulip_user_group" "platform" {
  name              = "platform"
  description       = "Keeps everything else running."
  members           = ["lena.fischer@example.com", "nadia.haddad@example.com"]
  subgroups         = ["sre"]
  can_manage_group  = ["role:administrators", "user:nadia.haddad@example.com"]
  can_mention_group = ["role:members"]

  depends_on = [zulip_user.nadia]
}

resource "zulip_user_group_membership" "kenji" {
  group   = "sre"
  members = ["kenji.sato@example.com"]
}

resource "zulip_bot" "alerts" {
  short_name             = "alerts"
  full_name              = "Alerts"
  bot_type               = "incoming_webhook"
  default_sending_stream = "incidents"
  owner                  = "tomas.berg@example.com"
}

resource "zulip_bot" "helpdesk" {
  short_name  = "helpdesk"
  full_name   = "Helpdesk"
  bot_type    = "outgoing_webhook"
  payload_url = "https://helpdesk.example.com/zulip"
}

resource "zulip_code_playground" "python" {
  name              = "Python sandbox"
  pygments_language = "Python"
  url_template      = "https://python.example.com/?code={code}"
}

resource "zulip_custom_emoji" "kudos" {
  name = "kudos"
  file = "${path.module}/gold_medal.png"
}

resource "zulip_custom_profile_field" "shift" {
  field_type = "select"
  name       = "Shift"
  hint       = "When you work"
  options = [
    { key = "day", text = "Day" },
    { key = "night", text = "Night" },
  ]
}

resource "zulip_custom_profile_field" "forge" {
  field_type  = "external_account"
  name        = "Forge"
  subtype     = "custom"
  url_pattern = "https://forge.example.com/%(username)s"
}

resource "zulip_custom_profile_field_order" "all" {
  field_ids = [zulip_custom_profile_field.forge.id, zulip_custom_profile_field.shift.id]
}

resource "zulip_domain" "company" {
  domain           = "example.org"
  allow_subdomains = true
}

resource "zulip_invite_link" "starters" {
  invite_as   = "guest"
  channel_ids = [zulip_channel.bare.id]
}

resource "zulip_linkifier" "ticket" {
  pattern      = "SHOP-(?P<id>[0-9]+)"
  url_template = "https://tickets.example.com/browse/SHOP-{id}"
}

resource "zulip_linkifier" "commit" {
  pattern      = "(?P<repository>[a-z-]+)@(?P<commit>[0-9a-f]{7,40})"
  url_template = "https://forge.example.com/{repository}/commit/{commit}"
}

resource "zulip_linkifier_order" "all" {
  linkifier_ids = [zulip_linkifier.commit.id, zulip_linkifier.ticket.id]
}

resource "zulip_organization" "example" {
  name             = "Example"
  description      = "Where we work together."
  default_language = "en"

  new_stream_announcements_stream_id = zulip_channel.bare.id
  signup_announcements_stream_id     = -1

  message_content_edit_limit_seconds   = 3600
  message_content_delete_limit_seconds = "unlimited"

  can_create_public_channel_group = ["role:moderators", "group:sre"]
  can_mention_many_users_group    = ["role:administrators"]
}

resource "zulip_default_user_settings" "new" {
  color_scheme             = "automatic"
  email_address_visibility = "members"
  twenty_four_hour_time    = true
}

resource "zulip_message" "rules" {
  channel = "general"
  topic   = "house rules"
  content = "Be kind."
}

resource "zulip_reaction" "yes" {
  message_id = zulip_message.rules.id
  emoji_name = "thumbs_up"
}

resource "zulip_scheduled_message" "audit" {
  channel                      = "general"
  topic                        = "audit"
  content                      = "The audit begins today."
  scheduled_delivery_timestamp = "2099-01-15T09:00:00+01:00"
}

resource "zulip_draft" "outage" {
  channel = "general"
  topic   = "outage"
  content = "**What:** …"
}
