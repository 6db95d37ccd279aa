# The emoji isn't set, so it isn't managed.
resource "zulip_user_status" "own" {
  status_text = "Managed as code"
}
