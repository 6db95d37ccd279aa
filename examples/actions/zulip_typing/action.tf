action "zulip_typing" "start" {
  config {
    op      = "start"
    channel = "general"
    topic   = "deploys"
  }
}
