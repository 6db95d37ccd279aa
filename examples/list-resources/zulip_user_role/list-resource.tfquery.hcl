list "zulip_user_role" "administrators" {
  provider = zulip

  config {
    role = "administrator"
  }
}
