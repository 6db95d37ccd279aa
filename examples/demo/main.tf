# "make demo" applies this: three channels, and who can do what in them.

terraform {
  required_providers {
    zulip = {
      source = "zulip-iac/zulip"
    }
  }
}

provider "zulip" {}

resource "zulip_channel" "releases" {
  name        = "releases"
  description = "What ships, and when. Moderators write, everyone reads."
  privacy     = "public"
  is_default  = true

  can_send_message_group = ["role:moderators"]
}

resource "zulip_channel" "support" {
  name        = "support"
  description = "Questions from customers, answered here."
  privacy     = "public"

  can_resolve_topics_group = ["group:sre", "user:lena.fischer@example.com"]
}

resource "zulip_channel" "security" {
  name        = "security"
  description = "Invitation only. Ask a lead to add you. Nothing is deleted."
  privacy     = "private_shared_history"

  can_add_subscribers_group    = ["group:leads"]
  can_delete_any_message_group = ["role:nobody"]
  can_delete_own_message_group = ["role:nobody"]
}
