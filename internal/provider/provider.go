// Package provider has the provider block, the sources of its values, and the lists of all resources, data sources,
// actions and functions.
package provider

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/configuration"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/localsandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

var (
	_ provider.ProviderWithActions            = (*Provider)(nil)
	_ provider.ProviderWithEphemeralResources = (*Provider)(nil)
	_ provider.ProviderWithFunctions          = (*Provider)(nil)
	_ provider.ProviderWithListResources      = (*Provider)(nil)
	_ provider.ProviderWithValidateConfig     = (*Provider)(nil)
)

// Provider is the provider "zulip".
type Provider struct {
	version string
	getenv  func(string) string
	// oneAtATime is whether the run works on one resource at a time.
	oneAtATime bool
	// meta is the data that resources get. It is nil until the provider is configured.
	meta atomic.Pointer[base.Meta]
	// sandbox replaces the server. It is nil without the attribute.
	sandbox atomic.Pointer[localsandbox.Sandbox]
}

// New returns a constructor of the provider for a version.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return newProvider(version) }
}

func newProvider(version string) *Provider { return &Provider{version: version, getenv: os.Getenv} }

// model is the provider block.
type model struct {
	Site              types.String `tfsdk:"site"`
	Email             types.String `tfsdk:"email"`
	APIKey            types.String `tfsdk:"api_key"`
	Zuliprc           types.String `tfsdk:"zuliprc"`
	RequestTimeout    types.String `tfsdk:"request_timeout"`
	MaxRetries        types.Int64  `tfsdk:"max_retries"`
	RequestsPerMinute types.Int64  `tfsdk:"requests_per_minute"`
	LockoutProtection types.Bool   `tfsdk:"lockout_protection"`
	AccessWarnings    types.Bool   `tfsdk:"access_warnings"`
	Recover           types.Bool   `tfsdk:"recover_interrupted"`
	AdoptArchived     types.Bool   `tfsdk:"adopt_archived"`
	AdoptDeactivated  types.Bool   `tfsdk:"adopt_deactivated"`
	Sandbox           types.Object `tfsdk:"sandbox"`

	TradingCloud *tradingModel `tfsdk:"trading_cloud"`
}

// isKnown reports whether all settings of the organization and the account are known.
func (m *model) isKnown() bool {
	return !m.Site.IsUnknown() && !m.Email.IsUnknown() && !m.APIKey.IsUnknown() && !m.Zuliprc.IsUnknown() &&
		!m.RequestTimeout.IsUnknown() && !m.MaxRetries.IsUnknown() && !m.RequestsPerMinute.IsUnknown() && !m.LockoutProtection.IsUnknown() &&
		!m.AccessWarnings.IsUnknown() && !m.Recover.IsUnknown() && !m.AdoptArchived.IsUnknown() && !m.AdoptDeactivated.IsUnknown() &&
		isSandboxKnown(m.Sandbox)
}

// Metadata names the provider.
func (p *Provider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "zulip"
	resp.Version = p.version
}

// Schema describes the provider block.
func (p *Provider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages a Zulip organization as code: channels, user groups, permissions, users, bots, and settings.",
		Attributes: map[string]schema.Attribute{
			"site": schema.StringAttribute{
				Optional: true, MarkdownDescription: "URL of the organization, such as `https://chat.example.com`. Defaults to `ZULIP_SITE`, then to the zuliprc file.",
			},
			"email": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Email of the user or bot that the provider acts as. Defaults to `ZULIP_EMAIL`, then to the zuliprc file.",
			},
			"api_key": schema.StringAttribute{
				Optional: true, Sensitive: true, MarkdownDescription: "API key of the account. Defaults to `ZULIP_API_KEY`, then to the zuliprc file. Don't put the key in configuration; use the environment variable.",
			},
			"zuliprc": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Path of a zuliprc file from the web app. Defaults to `ZULIP_CONFIG`, then to `~/.zuliprc` if it exists.",
			},
			"request_timeout": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Time limit for one request, such as `30s` or `2m`. Defaults to one minute.",
				Validators: []validator.String{validators.Duration()},
			},
			"max_retries": schema.Int64Attribute{
				Optional: true, MarkdownDescription: "Maximum number of retries of a failed request. Only requests that are safe to repeat are retried. Defaults to 4.",
				Validators: []validator.Int64{validators.Between(0, 20)},
			},
			"requests_per_minute": schema.Int64Attribute{
				Optional: true, MarkdownDescription: "Maximum number of requests per minute that count against the server's rate limit. Set it to leave room for other clients of the same account. Without it, the provider uses the whole limit of the server, by default 200 a minute and 2,000 an hour for each account. A longer run waits, for up to an hour.",
				Validators: []validator.Int64{validators.AtLeast(1)},
			},
			"lockout_protection": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "If true, a plan fails if it would remove the access that the provider's account needs to manage the planned objects. Defaults to `true`.",
			},
			"access_warnings": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "If true, plans warn that a change can give or take access, and name the objects that need attention. The `review` command shows who gains and who loses access by the whole plan. Defaults to `true`.",
			},
			"adopt_archived": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Default of `adopt_archived` for new channels and channel folders. Defaults to `false`.",
			},
			"adopt_deactivated": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Default of `adopt_deactivated` for new users, bots and user groups. Defaults to `false`.",
			},
			sandboxAttribute: sandboxSchema(),
			"recover_interrupted": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Adopt objects left behind by an apply that was killed before it wrote its state. Only named objects that match the plan exactly are adopted. As far as the server shows, the same account must have created them within the last hour. Each adoption produces a warning. Set this for one apply, without `-target`, which hides other resources of the state from the provider. Defaults to `ZULIP_RECOVER_INTERRUPTED`, then `false`: creating an object that already exists is an error that shows how to import it.",
			},
		},
		Blocks: map[string]schema.Block{tradingBlock: tradingSchema()},
	}
}

// ValidateConfig refuses a sandbox together with an organization.
func (p *Provider) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var block model
	resp.Diagnostics.Append(req.Config.Get(ctx, &block)...)
	if !resp.Diagnostics.HasError() {
		block.checkSandbox(&resp.Diagnostics)
	}
}

// Configure finds the organization, checks that it exists, and reads its version and the account. The trading cloud
// is only called when a resource needs it. One of the two is enough.
func (p *Provider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var block model
	resp.Diagnostics.Append(req.Config.Get(ctx, &block)...)
	if resp.Diagnostics.HasError() || !block.isKnown() {
		return
	}
	values, trading := p.findOrganization(ctx, &block, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	cloud := p.configureTrading(&block, trading, req.TerraformVersion, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	meta := &base.Meta{NoAccount: values.Missing()}
	switch {
	case values.Site.IsSet():
		meta = p.configureOrganization(ctx, &block, values, req.TerraformVersion, &resp.Diagnostics)
	case !cloud.isSet:
		block.addSettingError(&resp.Diagnostics, values.Missing())
	}
	if resp.Diagnostics.HasError() {
		return
	}
	meta.Trading, meta.NoTrading = cloud.client, cloud.missing
	meta.LockoutProtection = block.LockoutProtection.IsNull() || block.LockoutProtection.ValueBool()
	meta.AccessWarnings = block.AccessWarnings.IsNull() || block.AccessWarnings.ValueBool()
	meta.AdoptArchived, meta.AdoptDeactivated = block.AdoptArchived.ValueBool(), block.AdoptDeactivated.ValueBool()
	meta.RecoverInterrupted = p.recoverInterrupted(&block, &resp.Diagnostics)
	meta.WarnOfExisting = p.flag("ZULIP_WARN_OF_EXISTING", &resp.Diagnostics)
	p.meta.Store(meta)
	resp.ResourceData, resp.DataSourceData, resp.EphemeralResourceData = meta, meta, meta
	resp.ActionData, resp.ListResourceData = meta, meta
}

// recoverInterrupted returns the setting recover_interrupted, from the block, or otherwise from the environment.
func (p *Provider) recoverInterrupted(block *model, diags *diag.Diagnostics) bool {
	if !block.Recover.IsNull() {
		return block.Recover.ValueBool()
	}
	return p.flag("ZULIP_RECOVER_INTERRUPTED", diags)
}

// flag reads true or false from the environment.
func (p *Provider) flag(variable string, diags *diag.Diagnostics) bool {
	switch text := p.getenv(variable); strings.ToLower(text) {
	case "true":
		return true
	case "", "false":
	default:
		diags.AddError("Invalid value: neither true nor false", fmt.Sprintf("%s is %q; it must be true or false.", variable, text))
	}
	return false
}

// configureOrganization creates the client of the organization, and connects.
func (p *Provider) configureOrganization(
	ctx context.Context, block *model, values configuration.Values, cli string, diags *diag.Diagnostics,
) *base.Meta {
	cfg := values.Client()
	cfg.UserAgent = p.userAgent(cli)
	cfg.RequestTimeout = validators.ParseDuration(block.RequestTimeout.ValueString())
	cfg.RequestsPerMinute = int(block.RequestsPerMinute.ValueInt64())
	cfg.MaxRetries = block.maxRetries()
	if sandbox := p.sandbox.Load(); sandbox != nil {
		cfg.Transport = sandbox.Transport()
	}
	client, err := zulip.New(cfg)
	if err != nil {
		var wrong *zulip.SiteError
		if errors.As(err, &wrong) {
			at("site", values.Site.Source, diags)("Invalid site URL",
				fmt.Sprintf("%s (From %s.)", base.Sentence(wrong), values.Site.Source))
			return nil
		}
		block.addSettingError(diags, err)
		return nil
	}
	if zulip.InsecureSite(values.Site.Value) {
		diags.AddWarning("The API key is sent unencrypted",
			fmt.Sprintf("%s (from %s) is not encrypted, so anyone on the network path can read the key and act as the account. Use https.", values.Site.Value, values.Site.Source))
	}
	meta := connect(ctx, client, values, diags)
	if p.oneAtATime && meta != nil && meta.Store != nil {
		meta.Store.OneAtATime()
	}
	return meta
}

// maxRetries returns the number for the clients, whose default is zero.
func (m *model) maxRetries() int {
	if !m.MaxRetries.IsNull() && m.MaxRetries.ValueInt64() == 0 {
		return -1
	}
	return int(m.MaxRetries.ValueInt64())
}

// resolve finds the source of each value.
func (p *Provider) resolve(block *model, diags *diag.Diagnostics) configuration.Values {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then there is no ~/.zuliprc
	}
	values, problems := configuration.Resolve(configuration.Input{
		Site: block.Site.ValueStringPointer(), Email: block.Email.ValueStringPointer(),
		APIKey: block.APIKey.ValueStringPointer(), Zuliprc: block.Zuliprc.ValueStringPointer(),
		Getenv: p.getenv, Home: home,
	})
	for _, problem := range problems {
		block.addSettingError(diags, problem)
	}
	for _, warning := range values.Warnings {
		diags.AddWarning("Check the provider's settings", warning)
	}
	return values
}

// userAgent names the provider and the CLI; the server shows the part before the slash (server-behavior §R20).
func (p *Provider) userAgent(cli string) string {
	agent := "ZulipTerraformProvider/" + p.version
	if cli != "" {
		agent += " Terraform/" + cli
	}
	return agent
}

// addSettingError reports a mistake in a setting, at the attribute if the block sets it. Otherwise it names no
// attribute: if the block does not exist, Terraform would advise to write it, which does not help.
func (m *model) addSettingError(diags *diag.Diagnostics, err error) {
	var setting *configuration.SettingError
	if !errors.As(err, &setting) {
		diags.AddError("Invalid provider settings", base.Sentence(err))
		return
	}
	written := map[string]bool{
		"site": !m.Site.IsNull(), "email": !m.Email.IsNull(), "api_key": !m.APIKey.IsNull(), "zuliprc": !m.Zuliprc.IsNull(),
	}
	if written[setting.Attribute] {
		diags.AddAttributeError(path.Root(setting.Attribute), setting.Summary, setting.Detail)
		return
	}
	diags.AddError(setting.Summary, setting.Detail)
}

// connect reads the server's version and the account. It returns nil after an error.
func connect(ctx context.Context, client *zulip.Client, values configuration.Values, diags *diag.Diagnostics) *base.Meta {
	meta := &base.Meta{Client: client, NoAccount: values.Missing()}
	var err error
	if meta.Server, err = client.ServerSettings(ctx); err != nil {
		ExplainSite(values, err).addTo(diags)
		return nil
	}
	if meta.Server.ZulipFeatureLevel == 0 {
		diags.AddWarning("The server reports no feature level",
			"The provider cannot check during plan whether the server is too old for a setting. It finds ignored settings only after they are sent.")
	}
	if level := meta.Server.ZulipFeatureLevel; level > 0 && level < featurelevel.Oldest {
		diags.AddWarning(fmt.Sprintf("Zulip %s is older than the provider supports", meta.Server.ZulipVersion),
			fmt.Sprintf("It has feature level %d. The provider is tested from level %d (Zulip %s) on. The plan checks the known differences of older servers; the rest is not tested. Upgrade the server, or test every change on another organization first.",
				level, featurelevel.Oldest, featurelevel.FirstRelease(featurelevel.Oldest)))
	}
	if meta.NoAccount != nil {
		// This is enough for calls that need no account. All others report the missing settings.
		return meta
	}
	self, err := client.Me(ctx)
	if err != nil {
		ExplainAccount(values, err).addTo(diags)
		return nil
	}
	meta.Store = store.New(client, self, meta.Server.ZulipFeatureLevel, &meta.Run).Started(zulip.Now(ctx))
	return meta
}

// ConnectionError is the reason why the organization cannot be used as an account: the wrong setting, its source, and
// the fix.
type ConnectionError struct {
	Summary, Detail string

	// attribute and source are the wrong setting, if there is one.
	attribute, source string
}

func (e *ConnectionError) Error() string { return e.Summary + ". " + e.Detail }

func (e *ConnectionError) addTo(diags *diag.Diagnostics) {
	add := diags.AddError
	if e.attribute != "" {
		add = at(e.attribute, e.source, diags)
	}
	add(e.Summary, e.Detail)
}

// ExplainSite explains that the server does not answer like a Zulip server.
func ExplainSite(values configuration.Values, err error) *ConnectionError {
	from := fmt.Sprintf("%s (from %s)", values.Site.Value, values.Site.Source)
	explained := &ConnectionError{
		Summary: "Cannot reach the server", Detail: fmt.Sprintf("%s. %s", from, base.Explain(err)), attribute: "site", source: values.Site.Source,
	}
	var page *zulip.NotZulipError
	var refusal *zulip.Error
	switch {
	case errors.As(err, &page):
		explained.Summary = "This is not a Zulip server"
		explained.Detail = fmt.Sprintf("%s did not answer as a Zulip server does. %s", from, base.Explain(err))
	case errors.As(err, &refusal):
		explained.Summary = "There is no organization at this site URL"
		explained.Detail = fmt.Sprintf("%s is a Zulip server. %s", from, base.Explain(err))
	}
	return explained
}

// ExplainAccount explains that the server does not accept the account.
func ExplainAccount(values configuration.Values, err error) *ConnectionError {
	if !zulip.IsUnauthorized(err) {
		return &ConnectionError{Summary: "Cannot read the provider's account", Detail: base.Explain(err)}
	}
	return &ConnectionError{
		Summary: "The server rejects the account's credentials",
		Detail: fmt.Sprintf("%s (from %s) with the key from %s, at %s (from %s). %s",
			values.Email.Value, values.Email.Source, values.APIKey.Source, values.Site.Value, values.Site.Source, base.Explain(err)),
		attribute: "api_key", source: values.APIKey.Source,
	}
}

// at returns a function that adds an error about a setting, at the attribute if the provider block sets it. Otherwise
// it names no attribute: if the block does not exist, Terraform would advise to write it, which does not help.
func at(attribute, source string, diags *diag.Diagnostics) func(summary, detail string) {
	if source == configuration.Block {
		return func(summary, detail string) { diags.AddAttributeError(path.Root(attribute), summary, detail) }
	}
	return diags.AddError
}
