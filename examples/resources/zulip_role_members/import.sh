# By role. The next plan names everyone who would lose it.
terraform import zulip_role_members.administrators administrator
