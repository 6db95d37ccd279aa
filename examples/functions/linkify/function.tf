locals {
  ticket = {
    pattern      = "#(?P<id>[0-9]+)"
    url_template = "https://tickets.example.com/{id}"
  }
}

# See [#12](https://tickets.example.com/12), not x#13.
output "text" {
  value = provider::zulip::linkify("See #12, not x#13.", local.ticket)
}

# The same in a check, or in the assert of a "terraform test".
check "tickets_are_links" {
  assert {
    condition     = provider::zulip::linkify("#12", local.ticket) == "[#12](https://tickets.example.com/12)"
    error_message = "A ticket's number is no link."
  }
}
