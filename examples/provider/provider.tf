terraform {
  required_providers {
    zulip = {
      source = "zulip-iac/zulip"
    }
  }
}

# The credentials come from ZULIP_SITE, ZULIP_EMAIL and ZULIP_API_KEY, or from the zuliprc file of Zulip's settings.
provider "zulip" {}
