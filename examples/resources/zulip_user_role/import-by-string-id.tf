import {
  to = zulip_user_role.amara
  id = "amara.okafor@example.com"
}
