data "zulip_trading_platforms" "all" {}

data "zulip_trading_platform_ping" "each" {
  for_each = { for platform in data.zulip_trading_platforms.all.platforms : platform.id => platform }

  platform_id = each.key
}

# If the platform is not connected, the check warns, and the apply continues.
check "platforms" {
  assert {
    condition     = alltrue([for ping in data.zulip_trading_platform_ping.each : ping.reachable])
    error_message = "Not reachable: ${join(", ", [for ping in data.zulip_trading_platform_ping.each : "${ping.platform_id} (${ping.problem})" if !ping.reachable])}"
  }
}
