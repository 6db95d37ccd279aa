import {
  to = zulip_role_members.administrators
  id = "administrator"
}
