list "zulip_saved_snippet" "all" {
  provider = zulip
}
