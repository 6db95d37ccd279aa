data "zulip_trading_platforms" "all" {}

data "zulip_trading_platform_ping" "each" {
  for_each = { for platform in data.zulip_trading_platforms.all.platforms : platform.id => platform }

  platform_id = each.key
}

# A dead platform is a warning of the check; the apply goes on.
check "platforms" {
  assert {
    condition     = alltrue([for ping in data.zulip_trading_platform_ping.each : ping.reachable])
    error_message = "Dead: ${join(", ", [for ping in data.zulip_trading_platform_ping.each : "${ping.platform_id} (${ping.problem})" if !ping.reachable])}"
  }
}
