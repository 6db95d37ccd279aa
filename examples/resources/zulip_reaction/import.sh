terraform import zulip_reaction.yes 100001/thumbs_up
