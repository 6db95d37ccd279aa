package acctest

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// StartTrading gives a test a trading cloud and points the environment at it. There is no messaging site in the environment
// then, unless Start or StartSandbox comes after.
func StartTrading(t *testing.T, cfg sandbox.TradingConfig) *sandbox.TradingCloud {
	t.Helper()
	cloud := sandbox.NewTradingCloud(cfg)
	if err := cloud.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	c := cloud.Credentials()
	noteWords(t, c.ClientSecret)
	t.Cleanup(func() {
		_ = cloud.Close()
		noteWords(t, cloud.Tokens()...)
		noteCalls(t, cloud.Journal().Requests(sandbox.Filter{}))
	})
	for variable, value := range map[string]string{
		"TRADING_CLOUD_API_URL": c.APIURL, "TRADING_CLOUD_AUTH_URL": c.AuthURL, "TRADING_CLOUD_CLIENT_ID": c.ClientID,
		"TRADING_CLOUD_CLIENT_SECRET": c.ClientSecret, "TRADING_CLOUD_ORGANIZATIONS_PATH": "",
		"ZULIP_SITE": "", "ZULIP_EMAIL": "", "ZULIP_API_KEY": "", "ZULIP_CONFIG": "",
		"HOME": t.TempDir(), // without a ~/.zuliprc
	} {
		t.Setenv(variable, value)
	}
	return cloud
}
