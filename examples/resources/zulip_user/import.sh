# By email or ID
terraform import zulip_user.nadia nadia.haddad@example.com
