# A change of the content edits the message in place.
resource "zulip_message" "rules" {
  channel = "general"
  topic   = "house rules"
  content = <<-EOT
    1. Be kind.
    2. One subject per topic.
  EOT
}
