resource "zulip_channel" "news" {
  name        = "news"
  description = "News about the organization"
}

resource "zulip_organization" "example" {
  new_stream_announcements_stream_id = zulip_channel.news.id
  signup_announcements_stream_id     = -1 # none
}
