resource "zulip_custom_emoji" "kudos" {
  name = "kudos"
  file = "${path.module}/gold_medal.png"
}
