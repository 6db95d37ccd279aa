# No provider block. A module gets its provider from the caller, and a root module is configured by the environment
# (ZULIP_SITE, ZULIP_EMAIL, ZULIP_API_KEY).
terraform {
  required_version = ">= 1.5"

  required_providers {
    zulip = {
      source = "zulip-iac/zulip"
    }
  }
}
