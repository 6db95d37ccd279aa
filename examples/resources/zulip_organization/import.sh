# An account is in one organization: any word will do.
terraform import zulip_organization.example organization
