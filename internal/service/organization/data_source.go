package organization

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/settings"
)

// DataSource is the data source zulip_organization.
type DataSource struct{ base.DataSource }

// NewDataSource returns the data source zulip_organization.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_organization"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	all := attributes.DataSourceAttributes()
	all["id"] = schema.StringAttribute{Computed: true, MarkdownDescription: "Always `" + settings.OnceID + "`: an account is in one organization."}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the settings and permissions of the organization. Settings that the server does not have are null.",
		Attributes:          all,
	}
}

// Read takes the organization from the snapshot.
func (d *DataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	if !d.Ready(&resp.Diagnostics) {
		return
	}
	view, err := d.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		resp.Diagnostics.AddError(unreadable, base.Explain(err))
		return
	}
	found := emptyModel()
	attributes.Read(found, view.Realm(), attribute.On(&d.Base, view), &resp.Diagnostics)
	found.set("id", types.StringValue(settings.OnceID))
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(found.write(ctx, &resp.State)...)
	}
}
