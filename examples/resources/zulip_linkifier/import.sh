# By pattern
terraform import zulip_linkifier.issue '#(?P<id>[0-9]+)'

# By number
terraform import zulip_linkifier.issue 12
