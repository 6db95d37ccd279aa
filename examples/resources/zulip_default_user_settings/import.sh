# The ID can be any word: an account belongs to one organization.
terraform import zulip_default_user_settings.example organization
