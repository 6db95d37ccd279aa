# What people are in the organization. Whose account is not there yet fails the plan, with their address.

resource "zulip_user_role" "person" {
  for_each = var.people

  user = each.key
  role = each.value.role

  # Who leaves the list does not stay an administrator. An owner does: the last one cannot go.
  on_destroy = contains(["administrator", "moderator"], each.value.role) ? "member" : "keep"
}

# Everybody sees whom to call.
resource "zulip_user_status" "on_call" {
  for_each = { for email, person in var.people : email => person if person.on_call }

  user        = each.key
  status_text = "On call for ${each.value.team}"
  emoji_name  = "telephone"
}
