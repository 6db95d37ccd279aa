# For a person who acts with this account: finished and sent by hand.
resource "zulip_draft" "outage" {
  channel = "general"
  topic   = "outage"
  content = <<-EOT
    **What:** …
    **Since:** …
    **Next update:** …
  EOT
}

# For nobody yet.
resource "zulip_draft" "notes" {
  content = "Ask about the release."
}
