list "zulip_scheduled_message" "all" {
  provider = zulip
}
