list "zulip_user_group" "on_call" {
  provider = zulip

  config {
    name = "*on-call*"
  }
}
