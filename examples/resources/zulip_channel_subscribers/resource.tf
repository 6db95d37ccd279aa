resource "zulip_channel" "on_call" {
  name    = "on-call"
  privacy = "private_shared_history"
}

resource "zulip_user_group" "on_call" {
  name    = "on-call-engineers"
  members = ["lena.fischer@example.com", "kenji.sato@example.com"]
}

# Exactly these, and nobody else. Who joins the group is subscribed in the same apply, and who leaves it is unsubscribed.
resource "zulip_channel_subscribers" "on_call" {
  channel = zulip_channel.on_call.id
  users = setunion(zulip_user_group.on_call.members, [
    "ines.moreau@example.com", # the account the provider uses
    "amara.okafor@example.com",
  ])
}
