import {
  to = zulip_domain.company
  id = "example.com"
}
