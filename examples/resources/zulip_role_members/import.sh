# The role. The plan after it lists by name whom the configuration would take out.
terraform import zulip_role_members.administrators administrator
