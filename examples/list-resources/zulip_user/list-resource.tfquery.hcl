list "zulip_user" "guests" {
  provider = zulip
  limit    = 5000

  config {
    role = "guest"
  }
}
