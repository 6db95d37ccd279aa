list "zulip_channel" "engineering" {
  provider = zulip
  limit    = 2000

  config {
    folder = "Engineering"
    name   = "eng-*"
  }
}
