import {
  to = zulip_channel_subscription_settings.general
  id = "general"
}
