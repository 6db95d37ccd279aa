terraform import zulip_domain.company example.com
