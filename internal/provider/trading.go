package provider

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/configuration"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/trading"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// tradingBlock is the name of the block, which holds the trading cloud's settings.
const tradingBlock = "trading_cloud"

// tradingModel is the block trading_cloud.
type tradingModel struct {
	APIURL            types.String `tfsdk:"api_url"`
	AuthURL           types.String `tfsdk:"auth_url"`
	ClientID          types.String `tfsdk:"client_id"`
	ClientSecret      types.String `tfsdk:"client_secret"`
	OrganizationsPath types.String `tfsdk:"organizations_path"`
}

func (m *tradingModel) isKnown() bool {
	return !m.APIURL.IsUnknown() && !m.AuthURL.IsUnknown() && !m.ClientID.IsUnknown() &&
		!m.ClientSecret.IsUnknown() && !m.OrganizationsPath.IsUnknown()
}

func tradingSchema() schema.SingleNestedBlock {
	return schema.SingleNestedBlock{
		MarkdownDescription: "A trading cloud to ask for organizations and trade platforms. Without it, only what asks the trading cloud is not possible; with it alone, only that is.",
		Attributes: map[string]schema.Attribute{
			trading.SettingAPIURL: schema.StringAttribute{
				Optional: true, MarkdownDescription: "The address of its web API. Else `TRADING_CLOUD_API_URL`.",
			},
			trading.SettingAuthURL: schema.StringAttribute{
				Optional: true, MarkdownDescription: "The address of its identity provider. Else `TRADING_CLOUD_AUTH_URL`.",
			},
			trading.SettingClientID: schema.StringAttribute{
				Optional: true, MarkdownDescription: "The ID of the API client, from the admin portal. Else `TRADING_CLOUD_CLIENT_ID`.",
			},
			trading.SettingClientSecret: schema.StringAttribute{
				Optional: true, Sensitive: true, MarkdownDescription: "The API client's password. Else `TRADING_CLOUD_CLIENT_SECRET`. Better not written into a configuration.",
			},
			trading.SettingOrganizationsPath: schema.StringAttribute{
				Optional: true, MarkdownDescription: "Where the web API lists organizations, for servers that have it elsewhere. Else `TRADING_CLOUD_ORGANIZATIONS_PATH`, else `" + trading.DefaultOrganizationsPath + "`.",
			},
		},
	}
}

// tradingCloud is the trading cloud's client, or the reason why there is none.
type tradingCloud struct {
	client  *trading.Client
	missing error
	isSet   bool // whether anything was set for it
}

var errTradingUnknown = errors.New("the settings of the block trading_cloud are not known yet: apply what they depend on first, with -target, or set them in the environment")

// configureTrading makes the client of the trading cloud with the settings of the block, or the sandbox's; it calls nobody.
func (p *Provider) configureTrading(block *model, settings *tradingModel, cli string, diags *diag.Diagnostics) tradingCloud {
	if settings == nil {
		settings = &tradingModel{}
	}
	if !settings.isKnown() {
		return tradingCloud{missing: errTradingUnknown, isSet: true}
	}
	values, err := configuration.ResolveTrading(configuration.TradingInput{
		APIURL: settings.APIURL.ValueStringPointer(), AuthURL: settings.AuthURL.ValueStringPointer(),
		ClientID: settings.ClientID.ValueStringPointer(), ClientSecret: settings.ClientSecret.ValueStringPointer(),
		OrganizationsPath: settings.OrganizationsPath.ValueStringPointer(), Getenv: p.getenv,
	})
	cloud := tradingCloud{missing: values.Missing(), isSet: values.IsSet()}
	if err == nil && cloud.missing == nil {
		cfg := values.Client()
		cfg.UserAgent = p.userAgent(cli)
		cfg.RequestTimeout = validators.ParseDuration(block.RequestTimeout.ValueString())
		cfg.MaxRetries = block.maxRetries()
		cloud.client, err = trading.New(cfg)
	}
	if err != nil {
		addTradingError(values, err, diags)
		return cloud
	}
	for _, address := range []configuration.Found[string]{values.AuthURL, values.APIURL} {
		if zulip.InsecureSite(address.Value) {
			diags.AddWarning("The trading cloud's secret or token travels in clear",
				fmt.Sprintf("%s (from %s) is not encrypted: whoever is on the way can read what lets them act as the client. Use https.", address.Value, address.Source))
		}
	}
	return cloud
}

// addTradingError reports a mistake in a setting, as addSettingError does.
func addTradingError(values configuration.TradingValues, err error, diags *diag.Diagnostics) {
	summary, detail, setting := "The trading cloud's settings are not usable", base.Sentence(err), ""
	var mixed *configuration.SettingError
	var wrong *trading.SettingError
	switch {
	case errors.As(err, &mixed):
		summary, detail, setting = mixed.Summary, mixed.Detail, mixed.Attribute
	case errors.As(err, &wrong):
		setting = wrong.Setting
		detail = fmt.Sprintf("%s (from %s) %s.", wrong.Setting, values.Source(wrong.Setting), wrong.Problem)
	}
	if values.Source(setting) == configuration.Block {
		diags.AddAttributeError(path.Root(tradingBlock).AtName(setting), summary, detail)
		return
	}
	diags.AddError(summary, detail)
}
