import {
  to = zulip_user_group.platform
  id = "platform" # or its ID
}
