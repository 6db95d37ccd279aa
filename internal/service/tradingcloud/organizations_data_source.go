package tradingcloud

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/trading"
)

// OrganizationsDataSource is the data source zulip_trading_organizations.
type OrganizationsDataSource struct{ base.DataSource }

// NewOrganizationsDataSource returns the data source zulip_trading_organizations.
func NewOrganizationsDataSource() datasource.DataSource { return &OrganizationsDataSource{} }

type organizationsModel struct {
	Organizations []*organizationModel `tfsdk:"organizations"`
}

// Metadata names the data source.
func (d *OrganizationsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_trading_organizations"
}

// Schema describes the data source.
func (d *OrganizationsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The organizations of the trading cloud that its client takes part in, by ID. Needs the block `trading_cloud` of the provider, and no Zulip organization.",
		Attributes: map[string]schema.Attribute{
			"organizations": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The organizations.",
				NestedObject: schema.NestedAttributeObject{Attributes: organizationAttributes()},
			},
		},
	}
}

// Read asks the trading cloud.
func (d *OrganizationsDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	if !d.TradingReady(&resp.Diagnostics) {
		return
	}
	organizations, err := d.Meta.Trading.Organizations(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Cannot list the trading cloud's organizations", base.Sentence(err))
		return
	}
	slices.SortFunc(organizations, func(a, b trading.Organization) int { return cmp.Compare(a.ID, b.ID) })
	found := organizationsModel{Organizations: []*organizationModel{}}
	for i := range organizations {
		found.Organizations = append(found.Organizations, organizationOf(&organizations[i]))
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &found)...)
}
