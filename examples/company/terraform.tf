# No provider block: whoever uses this as a module passes a provider in, and as a root module it is configured by the
# environment (ZULIP_SITE, ZULIP_EMAIL, ZULIP_API_KEY).
terraform {
  required_version = ">= 1.5"

  required_providers {
    zulip = {
      source = "zulip-iac/zulip"
    }
  }
}
