list "zulip_default_channel_group" "all" {
  provider = zulip
}
