import {
  to = zulip_user_status.lena
  id = "lena.fischer@example.com"
}
