package organization

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
)

// DataSource is the data source zulip_organization.
type DataSource struct{ framework.DataSource }

// NewDataSource returns the data source zulip_organization.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_organization"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := settings.DataSourceAttributes()
	framework.PermissionDataSourceAttributes(attributes, permission.Organizations)
	attributes["id"] = schema.StringAttribute{Computed: true, MarkdownDescription: "Always `" + framework.OnceID + "`: an account is in one organization."}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The organization: its settings, and who may do what in it. What the server does not have is null.",
		Attributes:          attributes,
	}
}

// Read takes the organization from the snapshot.
func (d *DataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	if !d.Ready(&resp.Diagnostics) {
		return
	}
	view, err := d.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		resp.Diagnostics.AddError(unreadable, framework.Explain(err))
		return
	}
	found := emptyModel()
	found.read(&reading{Thing: view.Realm(), View: view}, d.FeatureLevel(), &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		found.write(ctx, &resp.State, &resp.Diagnostics)
	}
}
