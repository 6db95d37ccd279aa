package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/configuration"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/localsandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/trading"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// sandboxAttribute is the name of the attribute that makes the provider act on a sandbox of its own.
const sandboxAttribute = "sandbox"

// sandboxModel is the attribute.
type sandboxModel struct {
	Organization types.String `tfsdk:"organization"`
	FeatureLevel types.Int64  `tfsdk:"feature_level"`
	State        types.String `tfsdk:"state"`
}

func sandboxSchema() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Organization that runs inside the provider instead of on a server, for [tests](guides/testing.md) and experiments. The provider acts as its owner. " +
			"`{}` is a small example organization. Conflicts with `site`, `email`, `api_key`, `zuliprc` and `trading_cloud`. The environment variables and files for credentials are ignored.",
		Attributes: map[string]schema.Attribute{
			"organization": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Path of a JSON file with the initial organization: users and bots, or a whole organization from `terraform-provider-zulip export --snapshot`. The file is never written. Defaults to the example organization.",
			},
			"feature_level": schema.Int64Attribute{
				Optional: true, MarkdownDescription: fmt.Sprintf("API feature level of the server, from %d to %d. Defaults to the level of a recorded organization, otherwise to %d (Zulip 12.2).", featurelevel.Oldest, featurelevel.Newest, featurelevel.NewestRelease),
				Validators: []validator.Int64{validators.Between(featurelevel.Oldest, featurelevel.Newest)},
			},
			"state": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Path of a file that keeps the organization between plans, applies, and the `run` blocks of a test. After Terraform has destroyed the last resource, the next command starts a new organization. Without the file, each plan and each apply starts a new one.",
			},
		},
	}
}

// isSandboxKnown reports whether the attribute is wholly known.
func isSandboxKnown(sandbox types.Object) bool {
	if sandbox.IsUnknown() {
		return false
	}
	for _, value := range sandbox.Attributes() {
		if value.IsUnknown() {
			return false
		}
	}
	return true
}

// checkSandbox refuses a sandbox together with an organization. It ignores unknown values, which may turn out to be
// unset.
func (m *model) checkSandbox(diags *diag.Diagnostics) {
	if m.Sandbox.IsNull() || m.Sandbox.IsUnknown() {
		return
	}
	refuse := func(name, what string) {
		diags.AddAttributeError(path.Root(name), fmt.Sprintf("%s and %s conflict", sandboxAttribute, name),
			fmt.Sprintf("The provider block sets both. With sandbox, the provider runs its own organization, and %s. Remove one of the two.", what))
	}
	for _, setting := range []struct {
		name  string
		value types.String
	}{{"site", m.Site}, {"email", m.Email}, {"api_key", m.APIKey}, {"zuliprc", m.Zuliprc}} {
		if setting.value.ValueString() != "" {
			refuse(setting.name, setting.name+" belongs to a real one")
		}
	}
	if m.TradingCloud != nil {
		refuse(tradingBlock, "a trading cloud next to it")
	}
}

// findOrganization returns the organization and the account, and the settings of the trading cloud: those of the
// sandbox if the block asks for one, and otherwise the configured ones.
func (p *Provider) findOrganization(ctx context.Context, block *model, diags *diag.Diagnostics) (configuration.Values, *tradingModel) {
	if block.Sandbox.IsNull() {
		return p.resolve(block, diags), cmp.Or(block.TradingCloud, &tradingModel{})
	}
	block.checkSandbox(diags)
	var settings sandboxModel
	diags.Append(block.Sandbox.As(ctx, &settings, basetypes.ObjectAsOptions{})...)
	if diags.HasError() {
		return configuration.Values{}, nil
	}
	opened, err := localsandbox.Open(localsandbox.Options{
		Organization: settings.Organization.ValueString(),
		FeatureLevel: int(settings.FeatureLevel.ValueInt64()),
		State:        settings.State.ValueString(),
	})
	if err != nil {
		diags.AddAttributeError(path.Root(sandboxAttribute), "Cannot start the sandbox", base.Sentence(err))
		return configuration.Values{}, nil
	}
	p.sandbox.Store(opened)
	p.warnOfSandbox(&settings, opened, diags)
	found := func(value string) configuration.Found[string] {
		return configuration.Found[string]{Value: value, Source: "sandbox"}
	}
	values := configuration.Values{Site: found(localsandbox.Site), Email: found(opened.Owner.Email), APIKey: found(opened.Owner.APIKey)}
	cloud, err := sandboxCloud()
	if err != nil {
		diags.AddAttributeError(path.Root(sandboxAttribute), "Cannot start the sandbox", base.Sentence(err))
		return configuration.Values{}, nil
	}
	return values, &tradingModel{
		APIURL: types.StringValue(cloud.APIURL), AuthURL: types.StringValue(cloud.AuthURL),
		ClientID: types.StringValue(cloud.ClientID), ClientSecret: types.StringValue(cloud.ClientSecret),
		OrganizationsPath: types.StringValue(trading.DefaultOrganizationsPath),
	}
}

// sandboxCloud starts a trading cloud on loopback, once in a process and until it ends. Nothing changes the trading
// cloud, so each process can have its own.
var sandboxCloud = sync.OnceValues(func() (sandbox.TradingCredentials, error) {
	cloud := sandbox.NewTradingCloud(sandbox.TradingConfig{})
	if err := cloud.Start("127.0.0.1:0"); err != nil {
		return sandbox.TradingCredentials{}, err
	}
	return cloud.Credentials(), nil
})

// ignoredBySandbox are the variables that would choose an organization, an account, or a trading cloud.
var ignoredBySandbox = []string{
	"ZULIP_SITE", "ZULIP_EMAIL", "ZULIP_API_KEY", "ZULIP_CONFIG",
	"TRADING_CLOUD_API_URL", "TRADING_CLOUD_AUTH_URL", "TRADING_CLOUD_CLIENT_ID", "TRADING_CLOUD_CLIENT_SECRET", "TRADING_CLOUD_ORGANIZATIONS_PATH",
}

// warnOfSandbox warns once that this is not a real organization, with its lifetime and the ignored settings.
func (p *Provider) warnOfSandbox(settings *sandboxModel, opened *localsandbox.Sandbox, diags *diag.Diagnostics) {
	text := fmt.Sprintf("The provider runs a sandbox and acts as its owner %s. Nothing reaches a server. ", opened.Owner.Email)
	if state := settings.State.ValueString(); state != "" {
		text += fmt.Sprintf("The organization is kept in %s, until every resource is destroyed. Remove the file to start with a new organization.", state)
	} else {
		text += "The organization is only in memory. The next plan, apply or run block starts with a new one and creates everything again. To keep the organization, set state in sandbox to a file."
	}
	var ignored []string
	for _, variable := range ignoredBySandbox {
		if p.getenv(variable) != "" {
			ignored = append(ignored, variable)
		}
	}
	if len(ignored) > 0 {
		text += fmt.Sprintf(" These settings are ignored: %s.", strings.Join(ignored, ", "))
	}
	diags.AddWarning("The provider uses a sandbox, not a real organization", text)
}

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
		MarkdownDescription: "Connection to a trading cloud. Only the `zulip_trading_*` data sources and ephemeral resources use it, and they need nothing else.",
		Attributes: map[string]schema.Attribute{
			trading.SettingAPIURL: schema.StringAttribute{
				Optional: true, MarkdownDescription: "URL of the web API. Defaults to `TRADING_CLOUD_API_URL`.",
			},
			trading.SettingAuthURL: schema.StringAttribute{
				Optional: true, MarkdownDescription: "URL of the identity provider. Defaults to `TRADING_CLOUD_AUTH_URL`.",
			},
			trading.SettingClientID: schema.StringAttribute{
				Optional: true, MarkdownDescription: "ID of the API client, from the admin portal. Defaults to `TRADING_CLOUD_CLIENT_ID`.",
			},
			trading.SettingClientSecret: schema.StringAttribute{
				Optional: true, Sensitive: true, MarkdownDescription: "Password of the API client. Defaults to `TRADING_CLOUD_CLIENT_SECRET`. Don't put it in configuration; use the environment variable.",
			},
			trading.SettingOrganizationsPath: schema.StringAttribute{
				Optional: true, MarkdownDescription: "Path at which the web API lists organizations. Defaults to `TRADING_CLOUD_ORGANIZATIONS_PATH`, then `" + trading.DefaultOrganizationsPath + "`.",
			},
		},
	}
}

// tradingCloud is the trading cloud's client, or the reason why there is none.
type tradingCloud struct {
	client  *trading.Client
	missing error
	isSet   bool // whether any of its settings is set
}

var errTradingUnknown = errors.New("the settings of the block trading_cloud are not known yet: first apply what they depend on (-target), or set them in the environment")

// configureTrading creates the client of the trading cloud with the settings of the block or the sandbox. It sends no
// requests.
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
			diags.AddWarning("The trading cloud's secret is sent unencrypted",
				fmt.Sprintf("%s (from %s) is not encrypted, so anyone on the network path can read the secret or token and act as the client. Use https.", address.Value, address.Source))
		}
	}
	return cloud
}

// addTradingError reports a mistake in a setting, as addSettingError does.
func addTradingError(values configuration.TradingValues, err error, diags *diag.Diagnostics) {
	summary, detail, setting := "Invalid settings of the trading cloud", base.Sentence(err), ""
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
