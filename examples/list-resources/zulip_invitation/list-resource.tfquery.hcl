list "zulip_invitation" "all" {
  provider = zulip
}
