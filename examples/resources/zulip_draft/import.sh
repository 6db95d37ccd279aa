terraform import zulip_draft.outage 5001
