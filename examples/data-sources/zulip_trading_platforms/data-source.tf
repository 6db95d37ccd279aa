data "zulip_trading_platforms" "all" {}

data "zulip_trading_platforms" "mt5" {
  type = "MT5"
}

output "mt5_platforms" {
  value = [for platform in data.zulip_trading_platforms.mt5.platforms : platform.name]
}
