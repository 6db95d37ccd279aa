# Changes of an organization, planned with after = true. A name begins with the conditions that fail, up to the underscore.

variable "after" {
  type    = bool
  default = false
}

provider "zulip" {
  lockout_protection = false
}

resource "terraform_data" "known_after_apply" {
  count = var.after ? 1 : 0
  input = "role:members"
}

resource "zulip_channel" "harmless" {
  name        = "news"
  description = var.after ? "News of the week" : "News"
}

resource "zulip_channel" "stops_name" {
  count = var.after ? 1 : 0
  name  = "NAME_TAKEN_LATER"
}

resource "zulip_channel" "lockout_posting" {
  name                   = "locked"
  can_send_message_group = [var.after ? "role:nobody" : "role:moderators"]
}

resource "zulip_channel" "rules_lena_posts" {
  name                   = "ruled"
  can_send_message_group = [var.after ? "role:members" : "role:moderators"]
}

resource "zulip_user" "rules-and-role-change_last_owner_but_one" {
  email     = "omar@example.com"
  full_name = "Omar"
  role      = var.after ? "member" : "owner"
}

resource "zulip_user" "sign-in_address" {
  email     = var.after ? "noor@example.com" : "nora@example.com"
  full_name = "Nora"
}

resource "zulip_channel" "unknown_posting" {
  name                   = "unknown"
  can_send_message_group = [var.after ? terraform_data.known_after_apply[0].output : "role:moderators"]
}

resource "zulip_user_role" "unknown-and-role-change_new" {
  count = var.after ? 1 : 0
  user  = "amara.okafor@example.com"
  role  = trimprefix(trimsuffix(terraform_data.known_after_apply[0].output, "s"), "role:")
}

resource "zulip_channel" "external_guests_post" {
  name                   = "open"
  initial_subscribers    = ["paul.dubois@example.com"]
  can_send_message_group = [var.after ? "role:everyone" : "role:moderators"]
}

resource "zulip_bot" "external_key" {
  count      = var.after ? 1 : 0
  short_name = "key"
  full_name  = "Key"
  owner      = "paul.dubois@example.com"
}

resource "zulip_channel" "private_opened" {
  name    = "board"
  privacy = var.after ? "public" : "private_shared_history"
}

resource "zulip_channel" "private_joined" {
  name                = "council"
  privacy             = "private_shared_history"
  can_subscribe_group = [var.after ? "role:members" : "group:leads"]
}

resource "zulip_channel" "secret" {
  name    = "secret"
  privacy = "private_shared_history"
}

resource "zulip_channel_subscription" "private_member" {
  count   = var.after ? 1 : 0
  channel = zulip_channel.secret.id
  users   = ["lena.fischer@example.com"]
}

resource "zulip_channel_subscription" "private-and-external_guest" {
  count   = var.after ? 1 : 0
  channel = zulip_channel.secret.id
  users   = ["paul.dubois@example.com"]
}

resource "zulip_user_role" "role-change_owner" {
  count = var.after ? 1 : 0
  user  = "kenji.sato@example.com"
  role  = "owner"
}

resource "zulip_organization" "joining-and-sign-in" {
  invite_required        = !var.after
  authentication_methods = var.after ? ["Email", "GitHub"] : ["Email"]
}

resource "zulip_invite_link" "joining_owners" {
  count     = var.after ? 1 : 0
  invite_as = "owner"
}

resource "zulip_bot" "outgoing_webhook" {
  count       = var.after ? 1 : 0
  short_name  = "out"
  full_name   = "Out"
  bot_type    = "outgoing_webhook"
  payload_url = "https://evil.example.com"
}

resource "zulip_linkifier" "outgoing_links" {
  count        = var.after ? 1 : 0
  pattern      = "#(?P<id>[0-9]+)"
  url_template = "https://evil.example.com/{id}"
}

resource "zulip_channel" "data-loss_archived" {
  count = var.after ? 0 : 1
  name  = "old-projects"
}

resource "zulip_channel" "data-loss_retention" {
  name                   = "minutes"
  message_retention_days = var.after ? "1" : "unlimited"
}
