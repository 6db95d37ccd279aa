package channel

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// ListDataSource is the data source zulip_channels.
type ListDataSource struct{ base.DataSource }

// NewListDataSource returns the data source zulip_channels.
func NewListDataSource() datasource.DataSource { return &ListDataSource{} }

type listModel struct {
	IncludeArchived types.Bool   `tfsdk:"include_archived"`
	Privacy         types.String `tfsdk:"privacy"`
	FolderID        types.Int64  `tfsdk:"folder_id"`
	IsDefault       types.Bool   `tfsdk:"is_default"`
	Channels        []facts      `tfsdk:"channels"`
}

// Metadata names the data source.
func (d *ListDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_channels"
}

// Schema describes the data source.
func (d *ListDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The channels that the provider's account can see, sorted by name. Administrators see every channel.",
		Attributes: map[string]schema.Attribute{
			"include_archived": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to include archived channels. Defaults to `false`."},
			"privacy":          schema.StringAttribute{Optional: true, MarkdownDescription: "Only channels with this privacy."},
			"folder_id":        schema.Int64Attribute{Optional: true, MarkdownDescription: "Only channels in the folder with this ID; `0` for those in no folder."},
			"is_default":       schema.BoolAttribute{Optional: true, MarkdownDescription: "Only default channels (`true`), or only other channels (`false`)."},
			"channels": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The channels.",
				NestedObject: schema.NestedAttributeObject{Attributes: attributes.DataSourceAttributes()},
			},
		},
	}
}

// Read takes the channels from the snapshot.
func (d *ListDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var list listModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &list)...)
	if resp.Diagnostics.HasError() || !d.Ready(&resp.Diagnostics) {
		return
	}
	s, err := d.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the channels", base.Explain(err))
		return
	}
	list.Channels = []facts{}
	on := attribute.On(&d.Base, s)
	for _, channel := range s.Channels().List() {
		if channel.IsArchived && !list.IncludeArchived.ValueBool() ||
			!list.Privacy.IsNull() && list.Privacy.ValueString() != string(channel.Privacy()) ||
			!list.FolderID.IsNull() && list.FolderID.ValueInt64() != folderOf(channel) ||
			!list.IsDefault.IsNull() && list.IsDefault.ValueBool() != channel.IsDefault {
			continue
		}
		var found facts
		attributes.Read(&found, channel, on, &resp.Diagnostics)
		list.Channels = append(list.Channels, found)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &list)...)
}
