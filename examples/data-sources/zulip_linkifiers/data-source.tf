data "zulip_linkifiers" "all" {}

output "patterns" {
  value = data.zulip_linkifiers.all.linkifiers[*].pattern
}
