import {
  to = zulip_channel_folder_order.all
  id = "channel_folders"
}
