package tradingcloud

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/trading"
)

// PingDataSource is the data source zulip_trading_platform_ping.
type PingDataSource struct{ base.DataSource }

// NewPingDataSource returns the data source zulip_trading_platform_ping.
func NewPingDataSource() datasource.DataSource { return &PingDataSource{} }

type pingModel struct {
	PlatformID types.String `tfsdk:"platform_id"`
	Reachable  types.Bool   `tfsdk:"reachable"`
	LatencyMS  types.Int64  `tfsdk:"latency_ms"`
	Problem    types.String `tfsdk:"problem"`
}

// Metadata names the data source.
func (d *PingDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_trading_platform_ping"
}

// Schema describes the data source.
func (d *PingDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Whether the trading cloud reaches one of its trade platforms now, for a `check` block or a precondition. " +
			"A platform that it does not reach is a value, not an error; no token, no such platform, or no trading cloud is an error. " +
			"It is asked at each plan and apply, and once: no failed check is repeated.",
		Attributes: map[string]schema.Attribute{
			"platform_id": schema.StringAttribute{
				Required: true, MarkdownDescription: "The ID of the platform, a GUID.", Validators: []validator.String{idValidator{}},
			},
			"reachable": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether it was reached."},
			"latency_ms": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "How many milliseconds the trading cloud took to say so. It differs each time: what uses it changes with each plan, and so does a `check` block that has this data source inside instead of beside it.",
			},
			"problem": schema.StringAttribute{Computed: true, MarkdownDescription: "Why it was not reached, in the trading cloud's words; null if it was."},
		},
	}
}

// Read asks the trading cloud.
func (d *PingDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var check pingModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &check)...)
	if resp.Diagnostics.HasError() || !d.TradingReady(&resp.Diagnostics) {
		return
	}
	ping, err := d.Meta.Trading.Ping(ctx, check.PlatformID.ValueString())
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot check the connection to the platform %s", check.PlatformID.ValueString()), base.Sentence(err))
		return
	}
	check.Reachable = types.BoolValue(ping.Reachable)
	check.LatencyMS = types.Int64Value(ping.Latency.Milliseconds())
	check.Problem = types.StringNull()
	if !ping.Reachable {
		check.Problem = types.StringValue(ping.Problem)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &check)...)
}

// idValidator accepts the ID of a platform or an organization.
type idValidator struct{}

var _ validator.String = idValidator{}

// Description says what is accepted.
func (idValidator) Description(context.Context) string {
	return "a GUID like 0d9a5f1e-3c44-4e0e-8f0b-5b1f6f0c9a01"
}

// MarkdownDescription says what is accepted.
func (v idValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString refuses the rest.
func (v idValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || trading.IsID(req.ConfigValue.ValueString()) {
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Not an ID", fmt.Sprintf("%q is not the ID of anything in the trading cloud: write %s.", req.ConfigValue.ValueString(), v.Description(ctx)))
}
