list "zulip_invite_link" "all" {
  provider = zulip
}
