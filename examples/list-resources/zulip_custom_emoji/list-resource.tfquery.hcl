list "zulip_custom_emoji" "all" {
  provider = zulip
  limit    = 1000

  config {
    include_deactivated = true
  }
}
