resource "zulip_user_status" "lena" {
  user        = "lena.fischer@example.com"
  status_text = "On leave until Monday"
  emoji_name  = "palm_tree"
}
