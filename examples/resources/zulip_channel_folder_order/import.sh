# An organization has one order. Imported, it names every folder; a shorter list in the configuration changes nothing
# as long as it begins alike.
terraform import zulip_channel_folder_order.this order
