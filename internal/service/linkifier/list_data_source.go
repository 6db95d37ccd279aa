package linkifier

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// ListDataSource is the data source zulip_linkifiers.
type ListDataSource struct{ base.DataSource }

// NewListDataSource returns the data source zulip_linkifiers.
func NewListDataSource() datasource.DataSource { return &ListDataSource{} }

type listModel struct {
	Linkifiers []model `tfsdk:"linkifiers"`
}

// Metadata names the data source.
func (d *ListDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_linkifiers"
}

// Schema describes the data source.
func (d *ListDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The linkifiers of the organization. Everybody may read them.",
		Attributes: map[string]schema.Attribute{
			"linkifiers": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The linkifiers, in the order in which they are tried.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataSourceAttributes()},
			},
		},
	}
}

// Read takes the linkifiers from the snapshot.
func (d *ListDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	if !d.Ready(&resp.Diagnostics) {
		return
	}
	view, err := d.Meta.Store.Read(ctx, store.Linkifiers)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the linkifiers", base.Explain(err))
		return
	}
	list := listModel{Linkifiers: []model{}}
	for _, held := range view.Linkifiers().List() {
		var found model
		found.read(held, d.FeatureLevel())
		list.Linkifiers = append(list.Linkifiers, found)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &list)...)
}
