list "zulip_channel_folder" "all" {
  provider = zulip
}
