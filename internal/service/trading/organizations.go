package trading

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	ephemeralschema "github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/trading"
)

// NewOrganizationsDataSource returns the data source zulip_trading_organizations.
func NewOrganizationsDataSource() datasource.DataSource {
	return adapter.DataSource[organizationsModel]{Name: "trading_organizations", Ready: (*base.Base).TradingReady, Schema: organizationsDataSchema, Read: readOrganizationsData}.New()
}

func organizationsDataSchema() datasourceschema.Schema {
	return datasourceschema.Schema{
		MarkdownDescription: "Lists the organizations of the trading cloud's client, sorted by ID. Requires only the provider's `trading_cloud` block.",
		Attributes: map[string]datasourceschema.Attribute{
			"organizations": datasourceschema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "Organizations.",
				NestedObject: datasourceschema.NestedAttributeObject{Attributes: organizationAttributes()},
			},
		},
	}
}

func readOrganizationsData(ctx context.Context, c *adapter.Call[organizationsModel], found *organizationsModel) error {
	organizations, err := c.Meta.Trading.Organizations(ctx)
	if err != nil {
		return base.Failed("Cannot list the trading cloud's organizations", err)
	}
	slices.SortFunc(organizations, func(a, b trading.Organization) int { return cmp.Compare(a.ID, b.ID) })
	found.Organizations = []*organizationModel{}
	for i := range organizations {
		found.Organizations = append(found.Organizations, organizationOf(&organizations[i]))
	}
	return nil
}

type organizationsModel struct {
	Organizations []*organizationModel `tfsdk:"organizations"`
}

const (
	defaultMinimumLifetime = 10 * time.Minute
	// expiresKey is the key of the token's expiry in the private data, for Renew.
	expiresKey = "expires"
)

// TokenEphemeral is the ephemeral resource zulip_trading_token.
type TokenEphemeral struct{ base.Ephemeral }

var _ ephemeral.EphemeralResourceWithRenew = (*TokenEphemeral)(nil)

// NewTokenEphemeral returns the ephemeral resource zulip_trading_token.
func NewTokenEphemeral() ephemeral.EphemeralResource { return &TokenEphemeral{} }

type tokenModel struct {
	MinimumLifetimeSeconds types.Int64  `tfsdk:"minimum_lifetime_seconds"`
	AccessToken            types.String `tfsdk:"access_token"`
	TokenType              types.String `tfsdk:"token_type"`
	ExpiresAt              types.String `tfsdk:"expires_at"`
}

func (e *TokenEphemeral) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_trading_token"
}

func (e *TokenEphemeral) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = ephemeralschema.Schema{
		MarkdownDescription: "Reads an access token of the trading cloud for other providers or write-only attributes. State and plans never contain it.",
		Attributes: map[string]ephemeralschema.Attribute{
			"minimum_lifetime_seconds": ephemeralschema.Int64Attribute{
				Optional: true, MarkdownDescription: "Minimum remaining lifetime of the token in seconds. Defaults to 600.",
				Validators: []validator.Int64{validators.Between(0, int64((24 * time.Hour).Seconds()))},
			},
			"access_token": ephemeralschema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "Access token."},
			"token_type":   ephemeralschema.StringAttribute{Computed: true, MarkdownDescription: "Type of the token: `Bearer`."},
			"expires_at":   ephemeralschema.StringAttribute{Computed: true, MarkdownDescription: "Expiry time (RFC 3339). Null if the identity provider doesn't return it."},
		},
	}
}

// Open gets the token.
func (e *TokenEphemeral) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var result tokenModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &result)...)
	if resp.Diagnostics.HasError() || !e.TradingReady(&resp.Diagnostics) {
		return
	}
	wanted := defaultMinimumLifetime
	if !result.MinimumLifetimeSeconds.IsNull() {
		wanted = time.Duration(result.MinimumLifetimeSeconds.ValueInt64()) * time.Second
	}
	token, err := e.Meta.Trading.Token(ctx, wanted)
	if err != nil {
		resp.Diagnostics.AddError("Cannot get a token of the trading cloud", base.Sentence(err))
		return
	}
	result.AccessToken = types.StringValue(token.AccessToken)
	result.TokenType = types.StringValue(token.Type)
	if !token.Expires.IsZero() {
		expires := token.Expires.UTC().Format(time.RFC3339)
		result.ExpiresAt = types.StringValue(expires)
		resp.RenewAt = token.Expires
		private, _ := json.Marshal(expires) // a string has a JSON form
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, expiresKey, private)...)
	}
	resp.Diagnostics.Append(resp.Result.Set(ctx, &result)...)
}

// Renew is called when the token expires during the run. The value that other resources received cannot change.
func (e *TokenEphemeral) Renew(ctx context.Context, req ephemeral.RenewRequest, resp *ephemeral.RenewResponse) {
	private, diags := req.Private.GetKey(ctx, expiresKey)
	resp.Diagnostics.Append(diags...)
	var expires string
	if err := json.Unmarshal(private, &expires); err != nil {
		base.AddBug(&resp.Diagnostics, "decode private state", err)
		return
	}
	resp.Diagnostics.AddWarning("The trading cloud's token has expired",
		fmt.Sprintf("The token of zulip_trading_token expired at %s while the run continues. Requests that use it now fail. "+
			"Split the run, or set a longer token lifetime for the client in the identity provider.", expires))
}
