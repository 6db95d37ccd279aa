resource "zulip_channel" "apollo" {
  name        = "project-apollo"
  description = "Finished in 2025 and kept for reference. Ask questions in #general."
  on_destroy  = "keep"

  can_send_message_group       = ["role:administrators"]
  can_delete_any_message_group = []
  can_delete_own_message_group = []
  can_administer_channel_group = ["role:administrators"]
}
