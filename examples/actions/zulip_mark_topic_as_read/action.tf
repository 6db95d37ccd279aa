action "zulip_mark_topic_as_read" "deploys" {
  config {
    channel = "general"
    topic   = "deploys"
  }
}
