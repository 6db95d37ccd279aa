# By ID, which the data source zulip_invite_links shows
terraform import zulip_invite_link.starters 12
