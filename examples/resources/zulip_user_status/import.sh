# By email or ID
terraform import zulip_user_status.lena lena.fischer@example.com
