resource "zulip_user_status" "lena" {
  user        = "lena.fischer@example.com"
  status_text = "On leave until Monday"
  emoji_name  = "palm_tree"
}

# The account the provider uses. Its emoji is not managed.
resource "zulip_user_status" "own" {
  status_text = "Managed as code"
}
