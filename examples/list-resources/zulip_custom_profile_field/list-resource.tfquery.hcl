list "zulip_custom_profile_field" "all" {
  provider = zulip
}
