data "zulip_invite_links" "all" {}

# Links that never end are worth a look.
output "endless_links" {
  value = [for link in data.zulip_invite_links.all.invite_links : link.id if link.expiry_date == null]
}
