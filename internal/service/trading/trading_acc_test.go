package trading_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestAccSandboxTradingDataSources asks a trading cloud with no organization in sight.
func TestAccSandboxTradingDataSources(t *testing.T) {
	cloud := acctest.StartTrading(t, sandbox.TradingConfig{})
	config := `
data "zulip_trading_organizations" "all" {}
data "zulip_trading_platforms" "mt4" { type = "MT4" }
data "zulip_trading_platform_ping" "each" {
  count       = 2
  platform_id = data.zulip_trading_platforms.mt4.platforms[count.index].id
}
output "reachable" { value = zipmap(data.zulip_trading_platforms.mt4.platforms[*].name, data.zulip_trading_platform_ping.each[*].reachable) }
`
	reachable := func(frankfurt bool) statecheck.StateCheck {
		return statecheck.ExpectKnownOutputValue("reachable", knownvalue.MapExact(map[string]knownvalue.Check{
			"Tokyo Live": knownvalue.Bool(true), "Frankfurt Demo": knownvalue.Bool(frankfurt),
		}))
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.zulip_trading_organizations.all", tfjsonpath.New("organizations").AtSliceIndex(0).AtMapKey("name"), knownvalue.StringExact("Example Desk")),
					statecheck.ExpectKnownValue("data.zulip_trading_platforms.mt4", tfjsonpath.New("platforms"), knownvalue.ListSizeExact(2)),
					reachable(false),
				},
				ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{
				PreConfig:         func() { cloud.SetDead(frankfurt, false) },
				Config:            config,
				ConfigStateChecks: []statecheck.StateCheck{reachable(true)},
			},
		},
	})
}

// TestAccSandboxTradingToken gives the token to another provider's block, which is where a CLI lets it go, and finds it in
// no state.
func TestAccSandboxTradingToken(t *testing.T) {
	cloud := acctest.StartTrading(t, sandbox.TradingConfig{})
	credentials := cloud.Credentials()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{{
			// What is made of the token decides where the second provider asks, so that it can be seen that it arrived.
			Config: `
ephemeral "zulip_trading_token" "t" {}
locals {
  shape = ephemeral.zulip_trading_token.t.token_type == "Bearer" && length(ephemeral.zulip_trading_token.t.access_token) > 20
}
provider "zulip" {
  alias = "second"
  trading_cloud {
    organizations_path = local.shape ? "/api/Organizations" : "/nowhere"
  }
}
data "zulip_trading_organizations" "all" { provider = zulip.second }
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.zulip_trading_organizations.all", tfjsonpath.New("organizations"), knownvalue.ListSizeExact(1)),
			},
			Check: func(state *terraform.State) error {
				stored, err := json.Marshal(state)
				if err != nil {
					return err
				}
				for _, word := range append(cloud.Tokens(), credentials.ClientSecret) {
					if strings.Contains(string(stored), word) {
						t.Errorf("%q is in the state", word)
					}
				}
				return nil
			},
		}},
	})
	if len(cloud.Tokens()) < 2 {
		t.Errorf("%d tokens: the token was not opened", len(cloud.Tokens()))
	}
}
