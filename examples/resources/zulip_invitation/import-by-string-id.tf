import {
  to = zulip_invitation.starters["ada@example.com"]
  id = "ada@example.com"
}
