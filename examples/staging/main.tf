# One company in two organizations: changes are applied to staging first.

terraform {
  required_version = ">= 1.5"

  required_providers {
    zulip = {
      source = "zulip-iac/zulip"
    }
  }
}

provider "zulip" {
  alias   = "production"
  site    = var.production.site
  email   = var.production.email
  api_key = var.production.api_key
}

provider "zulip" {
  alias   = "staging"
  site    = var.staging.site
  email   = var.staging.email
  api_key = var.staging.api_key
}

module "production" {
  source    = "../company"
  providers = { zulip = zulip.production }

  people = local.people
}

# Like production, with the testers as its people.
module "staging" {
  source    = "../company"
  providers = { zulip = zulip.staging }

  people = { for email, person in local.people : email => person if contains(local.testers, email) }
}

locals {
  people = {
    "amara.okafor@example.com" = { team = "support", lead = true, role = "moderator" }
    "ines.moreau@example.com"  = { team = "product", lead = true, role = "owner" }
    "kenji.sato@example.com"   = { team = "support", on_call = true }
    "lena.fischer@example.com" = { team = "platform", on_call = true }
    "paul.dubois@example.com"  = { team = "product", role = "guest" }
    "tomas.berg@example.com"   = { team = "platform", lead = true, role = "administrator" }
  }

  # They have accounts in both organizations.
  testers = ["ines.moreau@example.com", "lena.fischer@example.com"]
}
