# The ID is the last number of the link from "Copy link to message".
terraform import zulip_message.rules 100001
