list "zulip_code_playground" "all" {
  provider = zulip
}
