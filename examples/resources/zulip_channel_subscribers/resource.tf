resource "zulip_channel" "on_call" {
  name    = "on-call"
  privacy = "private_shared_history"
}

resource "zulip_user_group" "on_call" {
  name    = "on-call-engineers"
  members = ["lena.fischer@example.com", "kenji.sato@example.com"]
}

# A new member of the group is subscribed in the same apply, and a removed member is unsubscribed.
resource "zulip_channel_subscribers" "on_call" {
  channel = zulip_channel.on_call.id
  users = setunion(zulip_user_group.on_call.members, [
    "ines.moreau@example.com", # the provider's account
    "amara.okafor@example.com",
  ])
}
