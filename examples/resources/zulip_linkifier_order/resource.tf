resource "zulip_linkifier" "ticket" {
  pattern      = "SHOP-(?P<id>[0-9]+)"
  url_template = "https://tickets.example.com/browse/SHOP-{id}"
}

resource "zulip_linkifier" "any_ticket" {
  pattern      = "(?P<project>[A-Z]+)-(?P<id>[0-9]+)"
  url_template = "https://archive.example.com/{project}/{id}"
}

# The second linkifier skips text that the first has turned into a link.
resource "zulip_linkifier_order" "all" {
  linkifier_ids = [
    zulip_linkifier.ticket.id,
    zulip_linkifier.any_ticket.id,
  ]
}
