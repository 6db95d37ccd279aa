resource "zulip_user_group" "platform" {
  name    = "platform"
  members = ["lena.fischer@example.com", "kenji.sato@example.com"]
}

resource "zulip_channel" "platform" {
  name        = "platform-internal"
  description = "Internal to the platform team. Ask a lead to add you."
  privacy     = "private_shared_history"

  can_add_subscribers_group    = ["group:leads"]
  can_administer_channel_group = ["role:administrators"]
}

# Exactly these people: a change of the group subscribes and unsubscribes in the same apply.
resource "zulip_channel_subscribers" "platform" {
  channel = zulip_channel.platform.id
  users = setunion(zulip_user_group.platform.members, [
    "ines.moreau@example.com", # the provider's account
  ])
}
