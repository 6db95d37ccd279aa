package channelfolder

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// DataSource is the data source zulip_channel_folders.
type DataSource struct{ base.DataSource }

// NewDataSource returns the data source zulip_channel_folders.
func NewDataSource() datasource.DataSource { return &DataSource{} }

type listModel struct {
	IncludeArchived types.Bool `tfsdk:"include_archived"`
	Folders         []listed   `tfsdk:"folders"`
}

// listed is a folder as the data source shows it.
type listed struct {
	facts
	IsArchived types.Bool `tfsdk:"is_archived"`
}

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_channel_folders"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The channel folders of the organization, in their order. Everybody may read them. " + featurelevel.Sentence(featurelevel.Since("zulip_channel_folder", "")) + " Older servers have none.",
		Attributes: map[string]schema.Attribute{
			"include_archived": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether archived folders are listed too; by default not."},
			"folders": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The folders.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":           schema.Int64Attribute{Computed: true, MarkdownDescription: "The folder's ID."},
					"name":         schema.StringAttribute{Computed: true, MarkdownDescription: "The folder's name."},
					"description":  schema.StringAttribute{Computed: true, MarkdownDescription: "What the folder is for, in Markdown."},
					"creator_id":   schema.Int64Attribute{Computed: true, MarkdownDescription: "User ID of who created it; null if that is not known."},
					"date_created": schema.StringAttribute{Computed: true, MarkdownDescription: "Time at which it was created (RFC 3339)."},
					"is_archived":  schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether it is archived."},
				}},
			},
		},
	}
}

// Read takes the folders from the snapshot.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var list listModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &list)...)
	if resp.Diagnostics.HasError() || !d.Ready(&resp.Diagnostics) {
		return
	}
	view, err := d.Meta.Store.Read(ctx, store.Folders)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the channel folders", base.Explain(err))
		return
	}
	list.Folders = []listed{}
	for _, folder := range view.Folders().List() {
		if folder.IsArchived && !list.IncludeArchived.ValueBool() {
			continue
		}
		found := listed{IsArchived: types.BoolValue(folder.IsArchived)}
		found.read(folder)
		list.Folders = append(list.Folders, found)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &list)...)
}
