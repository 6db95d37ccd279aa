resource "zulip_channel" "releases" {
  name    = "releases"
  privacy = "public"
}

output "release" {
  value = provider::zulip::topic_link(zulip_channel.releases.url, "v1.4 (EU)")
}

# The topic without a name.
output "general_chat" {
  value = provider::zulip::topic_link(zulip_channel.releases.url, "")
}
