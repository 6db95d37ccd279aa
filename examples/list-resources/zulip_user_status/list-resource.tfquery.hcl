list "zulip_user_status" "all" {
  provider = zulip
}
