# An alerts channel for each trade platform, in which only the desk writes. The platforms come from the trading cloud:
# when one is added there, the next plan adds its channel.

terraform {
  required_providers {
    zulip = {
      source = "zulip-iac/zulip"
    }
  }
}

# Both systems from the environment: ZULIP_SITE, ZULIP_EMAIL and ZULIP_API_KEY; TRADING_CLOUD_API_URL,
# TRADING_CLOUD_AUTH_URL, TRADING_CLOUD_CLIENT_ID and TRADING_CLOUD_CLIENT_SECRET. The sandbox prints all of them:
#   terraform-provider-zulip sandbox --trading 127.0.0.1:9971
provider "zulip" {}

variable "desk" {
  description = "The user group that may write."
  type        = string
  default     = "sre"
}

data "zulip_trading_platforms" "all" {}

locals {
  # By ID, because a name can be missing or given twice.
  platforms = { for platform in data.zulip_trading_platforms.all.platforms : platform.id => coalesce(platform.name, platform.id) }
}

resource "zulip_channel" "alerts" {
  for_each = local.platforms

  name        = "alerts ${each.value}"
  description = "What happens on ${each.value}. The desk writes, everyone reads."
  privacy     = "public"

  can_send_message_group = ["group:${var.desk}"]
}

output "alerts" {
  description = "Where the alerts of each platform go."
  value       = { for id, name in local.platforms : name => provider::zulip::topic_link(zulip_channel.alerts[id].url, "status") }
}
