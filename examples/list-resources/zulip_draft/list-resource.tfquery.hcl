list "zulip_draft" "all" {
  provider = zulip
}
