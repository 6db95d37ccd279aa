data "zulip_trading_organizations" "all" {}

output "desks" {
  value = { for organization in data.zulip_trading_organizations.all.organizations : organization.id => organization.name }
}
