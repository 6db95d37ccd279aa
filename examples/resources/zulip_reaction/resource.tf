resource "zulip_message" "vote" {
  channel = "general"
  topic   = "lunch"
  content = "Shall we meet at noon?"
}

resource "zulip_reaction" "yes" {
  message_id = zulip_message.vote.id
  emoji_name = "thumbs_up"
}
