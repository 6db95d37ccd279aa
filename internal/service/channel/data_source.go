package channel

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
)

// DataSource is the data source zulip_channel.
type DataSource struct{ base.DataSource }

// NewDataSource returns the data source zulip_channel.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_channel"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	all := attributes.DataSourceAttributes()
	all["id"] = schema.Int64Attribute{
		Optional: true, Computed: true, MarkdownDescription: "ID of the channel. Exactly one of `id` and `name` must be set.",
		Validators: []validator.Int64{validators.ExactlyOneOf("id", "name")},
	}
	all["name"] = schema.StringAttribute{
		Optional: true, Computed: true, MarkdownDescription: "Name of the channel, ignoring case. Exactly one of `id` and `name` must be set.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A channel, by ID or name. Archived channels are found too.",
		Attributes:          all,
	}
}

// Read takes the channel from the snapshot.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config facts
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !d.Ready(&resp.Diagnostics) {
		return
	}
	s, err := d.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the channels", base.Explain(err))
		return
	}
	wanted, at := "name:"+config.Name.ValueString(), path.Root("name")
	if config.Name.IsNull() {
		wanted, at = strconv.FormatInt(config.ID.ValueInt64(), 10), path.Root("id")
	}
	channel, err := lookup.Channel(s, wanted)
	if err != nil {
		resp.Diagnostics.AddAttributeError(at, "No such channel", base.Sentence(err))
		return
	}
	var found facts
	attributes.Read(&found, channel, attribute.On(&d.Base, s), &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &found)...)
}
