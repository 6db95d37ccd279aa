data "zulip_user_status" "lena" {
  user = "lena.fischer@example.com"
}

output "lena" {
  value = data.zulip_user_status.lena.status_text
}
