resource "zulip_user_group" "engineering" {
  name      = "engineering"
  subgroups = ["leads", "sre"]
}

resource "zulip_channel" "deploys" {
  name                   = "deploys"
  can_send_message_group = ["group:${zulip_user_group.engineering.name}"]
}
