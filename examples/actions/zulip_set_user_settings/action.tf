# Gives everyone the settings of new users, except settings that they have changed themselves.
action "zulip_set_user_settings" "everyone" {
  config {
    groups                 = ["role:everyone"]
    skip_if_already_edited = true

    color_scheme  = "automatic"
    web_home_view = "recent"
  }
}
