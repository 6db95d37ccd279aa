# Works without credentials.
data "zulip_server_settings" "this" {}

output "version" {
  value = data.zulip_server_settings.this.zulip_version
}
