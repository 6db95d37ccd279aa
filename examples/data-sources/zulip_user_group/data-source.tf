data "zulip_user_group" "leads" {
  name = "leads"
}

output "leads" {
  value = data.zulip_user_group.leads.all_members
}
