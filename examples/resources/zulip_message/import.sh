# The last number of the link that "Copy link to message" gives.
terraform import zulip_message.rules 100001
