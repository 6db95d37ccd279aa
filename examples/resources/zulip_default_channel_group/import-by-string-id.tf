import {
  to = zulip_default_channel_group.developers
  id = "Developers"
}
