# A person with this account completes and sends the draft.
resource "zulip_draft" "outage" {
  channel = "general"
  topic   = "outage"
  content = <<-EOT
    **What:** …
    **Since:** …
    **Next update:** …
  EOT
}
