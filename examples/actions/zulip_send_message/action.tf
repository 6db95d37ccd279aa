action "zulip_send_message" "deployed" {
  config {
    channel = "general"
    topic   = "deploys"
    content = "A new version is out."
  }
}

resource "terraform_data" "release" {
  input = "1.2.3"

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.zulip_send_message.deployed]
    }
  }
}
