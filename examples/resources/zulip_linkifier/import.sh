# By pattern
terraform import zulip_linkifier.issue '#(?P<id>[0-9]+)'

# By ID
terraform import zulip_linkifier.issue 12
