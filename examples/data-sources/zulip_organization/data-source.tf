data "zulip_organization" "this" {}

output "who_creates_channels" {
  value = data.zulip_organization.this.can_create_public_channel_group
}
