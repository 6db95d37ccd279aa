import {
  to = zulip_linkifier.issue
  id = "#(?P<id>[0-9]+)" # or its ID
}
