# For a run that takes up to half an hour.
ephemeral "zulip_trading_token" "run" {
  minimum_lifetime_seconds = 1800
}

# It may go where nothing is stored: into another provider's block, or a write-only attribute.
locals {
  authorization = "${ephemeral.zulip_trading_token.run.token_type} ${ephemeral.zulip_trading_token.run.access_token}"
}
