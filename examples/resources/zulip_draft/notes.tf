resource "zulip_draft" "notes" {
  content = "Ask about the release."
}
