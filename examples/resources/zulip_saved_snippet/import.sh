# By ID, which GET /saved_snippets shows
terraform import zulip_saved_snippet.handover 12
