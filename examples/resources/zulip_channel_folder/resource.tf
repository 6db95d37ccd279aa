resource "zulip_channel_folder" "incidents" {
  name        = "Incidents"
  description = "What is broken now, and what was."
}

# A channel says which folder it is in.
resource "zulip_channel" "postmortems" {
  name      = "postmortems"
  folder_id = zulip_channel_folder.incidents.id
}
