data "zulip_channel" "general" {
  name = "general"
}

# The rules of the house, kept up to date: a change edits the message in place.
resource "zulip_message" "rules" {
  channel = data.zulip_channel.general.id
  topic   = "house rules"
  content = <<-EOT
    1. Be kind.
    2. One topic, one subject.
  EOT
}

# Stays when it is not managed any more.
resource "zulip_message" "welcome" {
  recipients = ["lena.fischer@example.com"]
  content    = "Welcome! The rules of the house are in #**general>house rules**."
  on_destroy = "keep"
}
