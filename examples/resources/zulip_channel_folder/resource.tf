resource "zulip_channel_folder" "incidents" {
  name        = "Incidents"
  description = "Current and past incidents."
}

# The channel chooses its folder.
resource "zulip_channel" "postmortems" {
  name      = "postmortems"
  folder_id = zulip_channel_folder.incidents.id
}
