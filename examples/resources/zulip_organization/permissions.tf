resource "zulip_user_group" "hosts" {
  name = "hosts"
}

resource "zulip_organization" "example" {
  can_create_public_channel_group = ["role:moderators", "group:${zulip_user_group.hosts.name}"]

  # "terraform destroy" first removes the group from the permission, so that it can deactivate the group.
  on_destroy = "reset"
}
