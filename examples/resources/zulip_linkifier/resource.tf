# "#123" becomes a link to the issue.
resource "zulip_linkifier" "issue" {
  pattern      = "#(?P<id>[0-9]+)"
  url_template = "https://github.com/example/shop/issues/{id}"
}

# "shop@1a2b3c4" becomes a link to the commit.
resource "zulip_linkifier" "commit" {
  pattern      = "(?P<repository>[a-z-]+)@(?P<commit>[0-9a-f]{7,40})"
  url_template = "https://github.com/example/{repository}/commit/{commit}"
}
