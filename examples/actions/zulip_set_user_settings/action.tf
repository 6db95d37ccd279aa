# Gives everybody the settings that new accounts start with, but for what people have set themselves.
action "zulip_set_user_settings" "everybody" {
  config {
    groups                 = ["role:everyone"]
    skip_if_already_edited = true

    color_scheme  = "automatic"
    web_home_view = "recent"
  }
}
