# An organization has these settings once: any word will do.
terraform import zulip_default_user_settings.example organization
