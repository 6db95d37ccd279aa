package trading_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

const (
	london    = "0d9a5f1e-3c44-4e0e-8f0b-5b1f6f0c9a01"
	frankfurt = "0d9a5f1e-3c44-4e0e-8f0b-5b1f6f0c9a03" // not connected
)

// configured starts the provider with a block. Further settings are in the environment.
func configured(t *testing.T, block acctest.Values) *acctest.Process {
	t.Helper()
	p := acctest.StartProcess(t.Context(), t)
	p.Configure(block).ExpectNoError(t)
	return p
}

func TestProtocolTradingCloudAlone(t *testing.T) {
	acctest.StartTrading(t, sandbox.TradingConfig{})
	p := configured(t, acctest.Values{})
	p.MustReadData("zulip_trading_platforms", acctest.Values{})
	_, diags := p.ReadData("zulip_users", acctest.Values{})
	diags.ExpectError(t, "", "Not set: site, email, api_key")
	_, diags = p.ReadData("zulip_server_settings", acctest.Values{})
	diags.ExpectError(t, "", "ZULIP_SITE")

	config := acctest.Values{"name": "x", "privacy": "public"}
	_, diags = p.Plan("zulip_channel", nil, config)
	diags.ExpectError(t, "", "Not set: site, email, api_key")
}

func TestProtocolTradingMessagingAlone(t *testing.T) {
	for _, name := range []string{"API_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET"} {
		t.Setenv("TRADING_CLOUD_"+name, "")
	}
	org := acctest.StartSandbox(t, sandbox.Config{})
	p := configured(t, org.Block(nil))
	p.MustReadData("zulip_users", acctest.Values{})
	_, diags := p.ReadData("zulip_trading_platforms", acctest.Values{})
	diags.ExpectError(t, "", "Not set for the trading cloud: api_url, auth_url, client_id, client_secret", "TRADING_CLOUD_API_URL")
	_, diags = p.Open("zulip_trading_token", acctest.Values{})
	diags.ExpectError(t, "", "Not set for the trading cloud")
}

func TestProtocolTradingNeitherConfigured(t *testing.T) {
	acctest.StartTrading(t, sandbox.TradingConfig{})
	for _, name := range []string{"API_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET"} {
		t.Setenv("TRADING_CLOUD_"+name, "")
	}
	acctest.StartProcess(t.Context(), t).Configure(acctest.Values{}).ExpectError(t, "", "Not set: site, email, api_key")
}

func TestProtocolTradingSettings(t *testing.T) {
	cloud := acctest.StartTrading(t, sandbox.TradingConfig{})
	configure := func(block acctest.Values) acctest.Diagnostics {
		return acctest.StartProcess(t.Context(), t).Configure(acctest.Values{"trading_cloud": block})
	}
	configure(acctest.Values{"api_url": "trading.example.com"}).ExpectError(t, "trading_cloud", "api_url (from provider block) has no scheme")
	configure(acctest.Values{"auth_url": "https://elsewhere.example.com"}).ExpectError(t, "", "The secret belongs to another identity provider")
	configure(acctest.Values{"api_url": "http://api.example.com"}).ExpectWarning(t, "", "sent unencrypted", "http://api.example.com (from provider block)")
	if n := cloud.Journal().Count(sandbox.Filter{}); n != 0 {
		t.Errorf("%d requests before anything was asked for", n)
	}

	// An unknown setting leaves the rest of the provider usable.
	org := acctest.StartSandbox(t, sandbox.Config{})
	p := configured(t, org.Block(acctest.Values{"trading_cloud": acctest.Values{"client_secret": acctest.Unknown}}))
	p.MustReadData("zulip_users", acctest.Values{})
	_, diags := p.ReadData("zulip_trading_organizations", acctest.Values{})
	diags.ExpectError(t, "", "not known yet")

	t.Setenv("TRADING_CLOUD_CLIENT_SECRET", "wrong")
	_, diags = configured(t, org.Block(nil)).ReadData("zulip_trading_organizations", acctest.Values{})
	diags.ExpectError(t, "", "invalid_client", "client_secret is wrong")
}

func TestProtocolTradingDataSources(t *testing.T) {
	login := int64(9)
	mt5, other := "MT5", "22222222-2222-2222-2222-222222222222"
	cloud := acctest.StartTrading(t, sandbox.TradingConfig{Platforms: []sandbox.TradingPlatform{
		{ID: frankfurt, Type: 4, OrganizationID: &other},
		{ID: london, Name: &mt5, Type: mt5, Login: &login, Organization: &sandbox.TradingOrganization{ID: other, Name: "Desk", Created: "2024-01-01T00:00:00Z"}},
	}})
	p := configured(t, acctest.Values{"trading_cloud": acctest.Values{"organizations_path": "/api/Organizations"}})
	desk := acctest.Values{"id": other, "name": "Desk", "created": "2024-01-01T00:00:00Z"}
	bare := acctest.Values{"id": frankfurt, "name": nil, "type": "4", "login": nil, "organization_id": other, "organization": nil, "created": nil}
	full := acctest.Values{"id": london, "name": mt5, "type": mt5, "login": login, "organization_id": nil, "organization": desk, "created": nil}
	for name, test := range map[string]struct {
		filter acctest.Values
		want   []any
	}{
		"all, by ID":         {acctest.Values{}, []any{full, bare}},
		"by type":            {acctest.Values{"type": "mt5"}, []any{full}},
		"by organization":    {acctest.Values{"organization_id": strings.ToUpper(other)}, []any{full, bare}},
		"of nobody":          {acctest.Values{"organization_id": london}, []any{}},
		"by both, as number": {acctest.Values{"organization_id": other, "type": "4"}, []any{bare}},
	} {
		found := p.MustReadData("zulip_trading_platforms", test.filter)
		if !reflect.DeepEqual(found["platforms"], test.want) {
			t.Errorf("%s: %v", name, found["platforms"])
		}
	}
	_, diags := p.ReadData("zulip_trading_platforms", acctest.Values{"organization_id": "desk"})
	diags.ExpectError(t, "organization_id", "write a GUID")

	found := p.MustReadData("zulip_trading_organizations", acctest.Values{})
	want := []any{acctest.Values{"id": "6f1c2a54-0b7e-4a7b-9a53-2f5f2a1d7c10", "name": "Example Desk", "created": "2024-03-04T08:00:00Z"}}
	if !reflect.DeepEqual(found["organizations"], want) {
		t.Errorf("organizations %v", found)
	}
	cloud.Fail(sandbox.Fault{Path: "/api/**", Action: sandbox.FaultStatus, Status: 403, Body: `{"message":"not yours"}`})
	_, diags = p.ReadData("zulip_trading_organizations", acctest.Values{})
	diags.ExpectError(t, "", "Organizations_Get: 403", "not yours", "admin portal")
	_, diags = p.ReadData("zulip_trading_platforms", acctest.Values{})
	diags.ExpectError(t, "", "TradePlatforms_GetAll: 403")
}

func TestProtocolTradingPing(t *testing.T) {
	acctest.StartTrading(t, sandbox.TradingConfig{Latency: 20 * time.Millisecond})
	p := configured(t, acctest.Values{})
	found := p.MustReadData("zulip_trading_platform_ping", acctest.Values{"platform_id": london})
	if latency, _ := found["latency_ms"].(int64); found["reachable"] != true || latency < 20 || found["problem"] != nil {
		t.Errorf("alive: %v", found)
	}
	found = p.MustReadData("zulip_trading_platform_ping", acctest.Values{"platform_id": frankfurt})
	if problem, _ := found["problem"].(string); found["reachable"] != false || !strings.Contains(problem, "No connection") {
		t.Errorf("dead: %v", found)
	}
	_, diags := p.ReadData("zulip_trading_platform_ping", acctest.Values{"platform_id": "33333333-3333-3333-3333-333333333333"})
	diags.ExpectError(t, "", "There is no such platform")
	_, diags = p.ReadData("zulip_trading_platform_ping", acctest.Values{"platform_id": "London"})
	diags.ExpectError(t, "platform_id", `"London" is not an ID`)
}

func TestProtocolTradingToken(t *testing.T) {
	begin := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	cloud := acctest.StartTrading(t, sandbox.TradingConfig{TokenLifetime: 20 * time.Minute, Clock: func() time.Time { return begin }})
	p := configured(t, acctest.Values{})
	p.MustReadData("zulip_trading_platforms", acctest.Values{})
	opened, diags := p.Open("zulip_trading_token", acctest.Values{})
	diags.ExpectNoError(t)
	if tokens := cloud.Tokens(); len(tokens) != 1 || opened.Values["access_token"] != tokens[0] || opened.Values["token_type"] != "Bearer" {
		t.Errorf("opened %v; given were %v", opened.Values, tokens)
	}
	written, _ := opened.Values["expires_at"].(string)
	if expires, err := time.Parse(time.RFC3339, written); err != nil || time.Until(expires) < 19*time.Minute {
		t.Errorf("expires_at %q, %v", written, err)
	}
	if !opened.Renews() {
		t.Error("nobody is told when it expires")
	}
	opened.Renew().ExpectWarning(t, "", "has expired", written)

	// A token with a short remaining life is not used if a longer one can be obtained.
	longer, diags := p.Open("zulip_trading_token", acctest.Values{"minimum_lifetime_seconds": 3600})
	diags.ExpectNoError(t)
	if longer.Values["access_token"] == opened.Values["access_token"] {
		t.Error("the same token")
	}
	_, diags = p.Open("zulip_trading_token", acctest.Values{"minimum_lifetime_seconds": -1})
	diags.ExpectError(t, "minimum_lifetime_seconds", "between 0")

	t.Setenv("TRADING_CLOUD_CLIENT_SECRET", "wrong")
	_, diags = configured(t, acctest.Values{}).Open("zulip_trading_token", acctest.Values{})
	diags.ExpectError(t, "", "Cannot get a token", "invalid_client")
}

// TestAccSandboxTradingToken gives the token to another provider's block, where Terraform accepts it, and checks that
// no state has it.
func TestAccSandboxTradingToken(t *testing.T) {
	cloud := acctest.StartTrading(t, sandbox.TradingConfig{})
	credentials := cloud.Credentials()
	acctest.CLI(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{{
			// The text derived from the token determines the site of the second provider, which shows that the token
			// arrived.
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
