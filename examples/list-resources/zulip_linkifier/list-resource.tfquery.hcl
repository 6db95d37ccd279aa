list "zulip_linkifier" "tickets" {
  provider = zulip

  config {
    name = "*TICKET*"
  }
}
