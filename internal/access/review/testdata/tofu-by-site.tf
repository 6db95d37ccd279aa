terraform {
  required_providers {
    zulip = { source = "registry.example.com/zulip-iac/zulip" }
  }
}

variable "keys" { type = map(string) }

variable "senders" { default = "role:moderators" }

# Two organizations: the plan does not tell which instance a resource has.
provider "zulip" {
  alias    = "by_site"
  for_each = { x = "http://127.0.0.1:9871", y = "http://127.0.0.1:9872" }
  site     = each.value
  email    = "ines.moreau@example.com"
  api_key  = var.keys[each.key]
}

# One organization, whatever the instance.
provider "zulip" {
  alias    = "fixed"
  for_each = toset(["a", "b"])
  site     = "http://127.0.0.1:9871"
  email    = "ines.moreau@example.com"
  api_key  = var.keys["x"]
}

resource "zulip_channel" "here" {
  provider               = zulip.by_site["x"]
  name                   = "releases"
  can_send_message_group = [var.senders]
}

resource "zulip_channel" "elsewhere" {
  provider               = zulip.by_site["y"]
  name                   = "releases"
  can_send_message_group = [var.senders]
}

resource "zulip_channel" "fixed" {
  provider               = zulip.fixed["a"]
  name                   = "fixed"
  can_send_message_group = [var.senders]
}
