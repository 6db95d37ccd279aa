# An alerts channel for each trade platform, in which only the desk posts. If a platform is added to the trading cloud, the
# next plan adds its channel.

terraform {
  required_providers {
    zulip = {
      source = "zulip-iac/zulip"
    }
  }
}

# Credentials come from the environment: ZULIP_SITE, ZULIP_EMAIL and ZULIP_API_KEY; TRADING_CLOUD_API_URL,
# TRADING_CLOUD_AUTH_URL, TRADING_CLOUD_CLIENT_ID and TRADING_CLOUD_CLIENT_SECRET. The sandbox prints all of them:
#   terraform-provider-zulip sandbox --trading 127.0.0.1:9971
provider "zulip" {}

variable "desk" {
  description = "User group that can post."
  type        = string
  default     = "sre"
}

data "zulip_trading_platforms" "all" {}

locals {
  # By ID, because names can be missing or duplicated.
  platforms = { for platform in data.zulip_trading_platforms.all.platforms : platform.id => coalesce(platform.name, platform.id) }
}

resource "zulip_channel" "alerts" {
  for_each = local.platforms

  name        = "alerts ${each.value}"
  description = "Alerts from ${each.value}. The desk posts, everyone reads."
  privacy     = "public"

  can_send_message_group = ["group:${var.desk}"]
}

output "alerts" {
  description = "Topic for the alerts of each platform."
  value       = { for id, name in local.platforms : name => provider::zulip::topic_link(zulip_channel.alerts[id].url, "status") }
}
