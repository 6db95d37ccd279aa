# The token is valid for at least half an hour.
ephemeral "zulip_trading_token" "run" {
  minimum_lifetime_seconds = 1800
}

# Use it only where nothing is stored: in the block of another provider, or in a write-only attribute.
locals {
  authorization = "${ephemeral.zulip_trading_token.run.token_type} ${ephemeral.zulip_trading_token.run.access_token}"
}
