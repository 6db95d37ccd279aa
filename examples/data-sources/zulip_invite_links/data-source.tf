data "zulip_invite_links" "all" {}

# Links that never expire can be a risk.
output "endless_links" {
  value = [for link in data.zulip_invite_links.all.invite_links : link.id if link.expiry_date == null]
}
