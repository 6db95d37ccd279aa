import {
  to = zulip_organization.example
  id = "organization"
}
