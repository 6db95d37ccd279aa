package configuration

import (
	"errors"
	"strings"
	"testing"
)

// tradingEnvironment sets everything.
func tradingEnvironment() map[string]string {
	return map[string]string{
		"TRADING_CLOUD_API_URL": "https://api.example.com", "TRADING_CLOUD_AUTH_URL": "https://auth.example.com",
		"TRADING_CLOUD_CLIENT_ID": "env", "TRADING_CLOUD_CLIENT_SECRET": key, "TRADING_CLOUD_ORGANIZATIONS_PATH": "/v2/Organizations",
	}
}

func resolveTrading(environment map[string]string, block TradingInput) (TradingValues, error) {
	block.Getenv = func(name string) string { return environment[name] }
	return ResolveTrading(block)
}

func TestTradingOrder(t *testing.T) {
	client, blank := "block", ""
	values, err := resolveTrading(tradingEnvironment(), TradingInput{ClientID: &client, OrganizationsPath: &blank})
	if err != nil || values.Missing() != nil || !values.IsSet() {
		t.Fatalf("got %+v, %v, %v", values, err, values.Missing())
	}
	if values.ClientID != (Found[string]{"block", Block}) || values.APIURL != (Found[string]{"https://api.example.com", "TRADING_CLOUD_API_URL"}) {
		t.Errorf("got %+v", values)
	}
	cfg := values.Client()
	if cfg.APIURL != "https://api.example.com" || cfg.AuthURL != "https://auth.example.com" || cfg.ClientID != "block" || cfg.ClientSecret != key || cfg.OrganizationsPath != "/v2/Organizations" {
		t.Errorf("client %+v", cfg)
	}
	if source := values.Source("client_secret"); source != "TRADING_CLOUD_CLIENT_SECRET" {
		t.Errorf("the secret is from %q", source)
	}
}

func TestTradingMissing(t *testing.T) {
	values, err := resolveTrading(nil, TradingInput{})
	if err != nil || values.IsSet() || values.Missing() == nil {
		t.Errorf("nothing set: %+v, %v, %v", values, err, values.Missing())
	}
	environment := tradingEnvironment()
	delete(environment, "TRADING_CLOUD_CLIENT_SECRET")
	delete(environment, "TRADING_CLOUD_ORGANIZATIONS_PATH") // not needed
	values, err = resolveTrading(environment, TradingInput{})
	var missing *SettingError
	if err != nil || !values.IsSet() || !errors.As(values.Missing(), &missing) || missing.Attribute != "client_secret" ||
		missing.Summary != "Not set for the trading cloud: client_secret" || !strings.Contains(missing.Detail, "TRADING_CLOUD_CLIENT_SECRET") {
		t.Errorf("got %+v, %v, %v", values, err, values.Missing())
	}
}

func TestTheSecretOfOneIdentityProviderIsNotSentToAnother(t *testing.T) {
	elsewhere, same, own := "https://elsewhere.example.com", "https://AUTH.example.com/", otherKey
	values, err := resolveTrading(tradingEnvironment(), TradingInput{AuthURL: &elsewhere})
	var problem *SettingError
	if !errors.As(err, &problem) || problem.Attribute != "client_secret" || values.ClientSecret.IsSet() {
		t.Fatalf("got %+v, %v", values, err)
	}
	for _, word := range []string{elsewhere, "https://auth.example.com", "TRADING_CLOUD_CLIENT_SECRET", "TRADING_CLOUD_AUTH_URL"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q lacks %q", err, word)
		}
	}
	if strings.Contains(err.Error(), key) {
		t.Errorf("%q shows the secret", err)
	}
	for name, block := range map[string]TradingInput{
		"the same one": {AuthURL: &same}, "a secret of its own": {AuthURL: &elsewhere, ClientSecret: &own},
	} {
		if values, err := resolveTrading(tradingEnvironment(), block); err != nil || !values.ClientSecret.IsSet() {
			t.Errorf("%s: %+v, %v", name, values, err)
		}
	}
}
