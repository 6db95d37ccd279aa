# By email or ID
terraform import zulip_user_role.amara amara.okafor@example.com

# With on_destroy = "member"
terraform import zulip_user_role.kenji kenji.sato@example.com=member
