list "zulip_domain" "all" {
  provider = zulip
}
