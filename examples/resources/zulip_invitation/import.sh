terraform import 'zulip_invitation.starters["ada@example.com"]' ada@example.com
