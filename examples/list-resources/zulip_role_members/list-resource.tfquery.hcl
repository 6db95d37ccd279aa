list "zulip_role_members" "administrators" {
  provider = zulip

  config {
    name = "administrator"
  }
}
