resource "zulip_channel" "frontend" {
  name = "frontend"
}

resource "zulip_channel" "backend" {
  name = "backend"
}

resource "zulip_default_channel_group" "developers" {
  name        = "Developers"
  description = "Channels for developers"
  channel_ids = [zulip_channel.frontend.id, zulip_channel.backend.id]
}
