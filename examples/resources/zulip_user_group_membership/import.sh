# GROUP/MEMBERS: emails or IDs of users, group:NAME for groups
terraform import zulip_user_group_membership.kenji sre/kenji.sato@example.com
