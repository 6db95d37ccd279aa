# The address or the ID of the person.
terraform import zulip_user_status.lena lena.fischer@example.com
