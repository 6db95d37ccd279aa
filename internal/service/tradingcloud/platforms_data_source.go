package tradingcloud

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/trading"
)

// PlatformsDataSource is the data source zulip_trading_platforms.
type PlatformsDataSource struct{ base.DataSource }

// NewPlatformsDataSource returns the data source zulip_trading_platforms.
func NewPlatformsDataSource() datasource.DataSource { return &PlatformsDataSource{} }

type platformsModel struct {
	OrganizationID types.String    `tfsdk:"organization_id"`
	Type           types.String    `tfsdk:"type"`
	Platforms      []platformModel `tfsdk:"platforms"`
}

// Metadata names the data source.
func (d *PlatformsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_trading_platforms"
}

// Schema describes the data source.
func (d *PlatformsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The trade platforms that the trading cloud's client may use, by ID. Needs the block `trading_cloud` of the provider, and no Zulip organization.",
		Attributes: map[string]schema.Attribute{
			"organization_id": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Only those of this organization, a GUID.", Validators: []validator.String{idValidator{}},
			},
			"type": schema.StringAttribute{Optional: true, MarkdownDescription: "Only those of this type, such as `MT5`, in any case."},
			"platforms": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The platforms.",
				NestedObject: schema.NestedAttributeObject{Attributes: platformAttributes()},
			},
		},
	}
}

// Read asks the trading cloud.
func (d *PlatformsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var found platformsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &found)...)
	if resp.Diagnostics.HasError() || !d.TradingReady(&resp.Diagnostics) {
		return
	}
	platforms, err := d.Meta.Trading.Platforms(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Cannot list the trade platforms", base.Sentence(err))
		return
	}
	slices.SortFunc(platforms, func(a, b trading.Platform) int { return cmp.Compare(a.ID, b.ID) })
	found.Platforms = []platformModel{}
	for i := range platforms {
		if platform := platformOf(&platforms[i]); found.admits(&platform) {
			found.Platforms = append(found.Platforms, platform)
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &found)...)
}

// admits reports whether a platform passes every filter.
func (m *platformsModel) admits(platform *platformModel) bool {
	of := platform.OrganizationID
	if of.IsNull() && platform.Organization != nil {
		of = platform.Organization.ID
	}
	return passes(m.OrganizationID, of) && passes(m.Type, platform.Type)
}

func passes(filter, value types.String) bool {
	return filter.IsNull() || !value.IsNull() && strings.EqualFold(filter.ValueString(), value.ValueString())
}
