resource "zulip_channel_folder" "projects" {
  name = "Projects"
}

resource "zulip_channel_folder" "social" {
  name = "Social"
}

# These two come first. The other folders follow in their current order.
resource "zulip_channel_folder_order" "all" {
  folder_ids = [zulip_channel_folder.projects.id, zulip_channel_folder.social.id]
}
