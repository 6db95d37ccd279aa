package trading_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

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
