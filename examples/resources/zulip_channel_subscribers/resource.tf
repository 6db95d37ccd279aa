resource "zulip_channel" "on_call" {
  name    = "on-call"
  privacy = "private_shared_history"
}

# Exactly these, and nobody else.
resource "zulip_channel_subscribers" "on_call" {
  channel = zulip_channel.on_call.id
  users = [
    "ines.moreau@example.com", # the account the provider uses
    "lena.fischer@example.com",
    "amara.okafor@example.com",
  ]
}
