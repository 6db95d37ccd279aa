import {
  to = zulip_user_group_membership.kenji
  id = "sre/kenji.sato@example.com"
}
