resource "zulip_user_group" "engineering" {
  name      = "engineering"
  subgroups = ["leads", "sre"]

  lifecycle {
    create_before_destroy = true
  }
}

resource "zulip_channel" "deploys" {
  name                   = "deploys"
  can_send_message_group = ["group:${zulip_user_group.engineering.name}"]
}
