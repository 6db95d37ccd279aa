# The group, by name or number, and who of it is managed: addresses or numbers of people, group:NAME for groups
terraform import zulip_user_group_membership.kenji sre/kenji.sato@example.com
