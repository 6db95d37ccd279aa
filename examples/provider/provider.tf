terraform {
  required_providers {
    zulip = {
      source = "zulip-iac/zulip"
    }
  }
}

# Where, and as whom: ZULIP_SITE, ZULIP_EMAIL and ZULIP_API_KEY, or the zuliprc file that Zulip lets you download.
# Nothing secret stands in the configuration.
provider "zulip" {}
