list "zulip_bot" "alerts" {
  provider = zulip

  config {
    owner = "lena.fischer@example.com"
  }
}
