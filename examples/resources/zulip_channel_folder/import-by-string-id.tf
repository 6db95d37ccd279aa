import {
  to = zulip_channel_folder.incidents
  id = "Incidents" # or its ID
}
