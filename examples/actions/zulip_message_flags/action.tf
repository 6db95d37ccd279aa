action "zulip_message_flags" "star" {
  config {
    messages = [100001]
    op       = "add"
    flag     = "starred"
  }
}
