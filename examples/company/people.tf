# Roles of people. If someone has no account yet, the plan fails and shows their email.

resource "zulip_user_role" "person" {
  for_each = var.people

  user = each.key
  role = each.value.role

  # A person you remove becomes a member. Owners keep their role, because the last owner can't be removed.
  on_destroy = contains(["administrator", "moderator"], each.value.role) ? "member" : "keep"
}

# Shows everyone who is on call.
resource "zulip_user_status" "on_call" {
  for_each = { for email, person in var.people : email => person if person.on_call }

  user        = each.key
  status_text = "On call for ${each.value.team}"
  emoji_name  = "telephone"
}
