# A group whose members are exactly these. What is left out is not managed.
resource "zulip_user_group" "platform" {
  name        = "platform"
  description = "Keeps everything else running."
  members     = ["lena.fischer@example.com", "kenji.sato@example.com"]

  can_manage_group  = ["role:administrators"]
  can_mention_group = ["role:members"]

  lifecycle {
    create_before_destroy = true # what names the group is changed before it is deactivated
  }
}

# A group of groups, and a channel that names one.
resource "zulip_user_group" "engineering" {
  name      = "engineering"
  subgroups = [zulip_user_group.platform.name, "sre"]
}

resource "zulip_channel" "deploys" {
  name                   = "deploys"
  can_send_message_group = ["group:${zulip_user_group.engineering.name}"]
}
