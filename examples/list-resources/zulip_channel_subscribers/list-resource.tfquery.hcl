list "zulip_channel_subscribers" "engineering" {
  provider = zulip

  config {
    name = "eng-*"
  }
}
