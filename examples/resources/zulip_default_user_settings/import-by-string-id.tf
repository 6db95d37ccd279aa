import {
  to = zulip_default_user_settings.example
  id = "organization"
}
