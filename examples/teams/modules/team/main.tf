terraform {
  required_providers {
    zulip = {
      source = "zulip-iac/zulip"
    }
  }
}

variable "name" {
  type = string
}

variable "description" {
  type = string
}

variable "leads" {
  type = set(string)
}

variable "members" {
  type = set(string)
}

variable "account" {
  description = "Email of the provider's account, which stays subscribed."
  type        = string
}

resource "zulip_user_group" "leads" {
  name                  = "${var.name}-leads"
  members               = var.leads
  can_manage_group      = ["role:administrators"]
  can_add_members_group = ["role:administrators"]
  adopt_deactivated     = true
}

resource "zulip_user_group" "team" {
  name                  = var.name
  description           = var.description
  members               = var.members
  subgroups             = [zulip_user_group.leads.name]
  can_manage_group      = ["role:administrators"]
  can_add_members_group = ["role:administrators"]
  adopt_deactivated     = true
}

resource "zulip_channel" "public" {
  name                         = "team-${var.name}"
  description                  = var.description
  can_administer_channel_group = ["group:${zulip_user_group.leads.name}"]
  adopt_archived               = true
}

resource "zulip_channel" "internal" {
  name                         = "team-${var.name}-internal"
  description                  = "Internal to the team ${var.name}."
  privacy                      = "private_shared_history"
  can_administer_channel_group = ["group:${zulip_user_group.leads.name}"]
  can_add_subscribers_group    = ["group:${zulip_user_group.leads.name}"]
  adopt_archived               = true
}

# Exactly the team: whoever changes teams is subscribed and unsubscribed in the same apply.
resource "zulip_channel_subscribers" "internal" {
  channel = zulip_channel.internal.id
  users   = setunion(var.leads, var.members, [var.account])
}
