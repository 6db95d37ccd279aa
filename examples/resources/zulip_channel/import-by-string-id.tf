import {
  to = zulip_channel.releases
  id = "releases" # or its ID
}
