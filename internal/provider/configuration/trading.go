package configuration

import (
	"fmt"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/trading"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// tradingVariables are the trading cloud's settings, by the names of the block,
// in the environment.
var tradingVariables = map[string]string{
	trading.SettingAPIURL:            "TRADING_CLOUD_API_URL",
	trading.SettingAuthURL:           "TRADING_CLOUD_AUTH_URL",
	trading.SettingClientID:          "TRADING_CLOUD_CLIENT_ID",
	trading.SettingClientSecret:      "TRADING_CLOUD_CLIENT_SECRET",
	trading.SettingOrganizationsPath: "TRADING_CLOUD_ORGANIZATIONS_PATH",
}

// TradingInput has the sources of the trading cloud's values.
type TradingInput struct {
	// The settings of the block trading_cloud. nil and "" both mean that a setting is not set.
	APIURL, AuthURL, ClientID, ClientSecret, OrganizationsPath *string
	// Getenv reads the environment, as os.Getenv does.
	Getenv func(string) string
}

// TradingValues are the trading cloud's settings from both sources.
type TradingValues struct {
	APIURL, AuthURL, ClientID, ClientSecret, OrganizationsPath Found[string]
}

// ResolveTrading searches for each value in the block, then in the environment. An error is a *SettingError. A secret
// in the environment for one identity provider is not sent to another.
func ResolveTrading(in TradingInput) (TradingValues, error) {
	var values TradingValues
	places := []place{
		blockPlace(map[string]*string{
			trading.SettingAPIURL: in.APIURL, trading.SettingAuthURL: in.AuthURL, trading.SettingClientID: in.ClientID,
			trading.SettingClientSecret: in.ClientSecret, trading.SettingOrganizationsPath: in.OrganizationsPath,
		}),
		environmentPlace(in.Getenv, tradingVariables),
	}
	for name, into := range values.byName() {
		*into, _ = lookUp(places, name)
	}
	_, from := lookUp(places, trading.SettingClientSecret)
	own := from.values[trading.SettingAuthURL]
	if values.AuthURL.IsSet() && own != "" && !zulip.SameSite(own, values.AuthURL.Value) {
		problem := &SettingError{
			Attribute: trading.SettingClientSecret,
			Summary:   "The secret belongs to another identity provider",
			Detail: fmt.Sprintf("auth_url is %s (from %s), but client_secret comes from %s, which belongs to %s (from %s). "+
				"Nothing was sent. Set client_secret for %s too, or remove auth_url, so that it comes from the same source as the secret.",
				values.AuthURL.Value, values.AuthURL.Source, values.ClientSecret.Source, own, from.source(trading.SettingAuthURL), values.AuthURL.Value),
		}
		values.ClientSecret = Found[string]{}
		return values, problem
	}
	return values, nil
}

// IsSet reports whether any setting of the trading cloud is set.
func (v TradingValues) IsSet() bool {
	return v.APIURL.IsSet() || v.AuthURL.IsSet() || v.ClientID.IsSet() || v.ClientSecret.IsSet() || v.OrganizationsPath.IsSet()
}

// Missing names the missing settings for every call, and is nil if none is missing.
func (v TradingValues) Missing() error {
	var missing []string
	for _, need := range []struct {
		name  string
		found Found[string]
	}{
		{trading.SettingAPIURL, v.APIURL}, {trading.SettingAuthURL, v.AuthURL},
		{trading.SettingClientID, v.ClientID}, {trading.SettingClientSecret, v.ClientSecret},
	} {
		if !need.found.IsSet() {
			missing = append(missing, need.name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	variables := make([]string, len(missing))
	for i, name := range missing {
		variables[i] = tradingVariables[name]
	}
	return &SettingError{
		Attribute: missing[0],
		Summary:   "Not set for the trading cloud: " + strings.Join(missing, ", "),
		Detail: fmt.Sprintf("Looked in the block trading_cloud of the provider, and in the environment (%s). "+
			"To get client_id and client_secret, register an API client in the admin portal, section Clients.", strings.Join(variables, ", ")),
	}
}

// Client is the part of a client's configuration that was resolved.
func (v TradingValues) Client() trading.Config {
	return trading.Config{
		APIURL: v.APIURL.Value, AuthURL: v.AuthURL.Value, ClientID: v.ClientID.Value, ClientSecret: v.ClientSecret.Value,
		OrganizationsPath: v.OrganizationsPath.Value,
	}
}

// Source is where a setting was found; "" if it was not.
func (v TradingValues) Source(setting string) string {
	found, ok := v.byName()[setting]
	if !ok {
		return ""
	}
	return found.Source
}

func (v *TradingValues) byName() map[string]*Found[string] {
	return map[string]*Found[string]{
		trading.SettingAPIURL: &v.APIURL, trading.SettingAuthURL: &v.AuthURL, trading.SettingClientID: &v.ClientID,
		trading.SettingClientSecret: &v.ClientSecret, trading.SettingOrganizationsPath: &v.OrganizationsPath,
	}
}
