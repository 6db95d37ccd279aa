# "terraform destroy" leaves this message.
resource "zulip_message" "welcome" {
  recipients = ["lena.fischer@example.com"]
  content    = "Welcome! Please read the rules in #**general>house rules**."
  on_destroy = "keep"
}
