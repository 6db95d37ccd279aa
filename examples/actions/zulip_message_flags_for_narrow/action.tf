# Marks only the topic without a name as read.
action "zulip_message_flags_for_narrow" "read_nameless" {
  config {
    anchor     = "first_unread"
    num_before = 0
    num_after  = 1000
    to_the_end = true
    narrow = [
      { operator = "channel", operand = "general" },
      { operator = "topic", operand = "" },
    ]
    op   = "add"
    flag = "read"
  }
}
