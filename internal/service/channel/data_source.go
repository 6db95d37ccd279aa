package channel

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
)

// DataSource is the data source zulip_channel.
type DataSource struct{ framework.DataSource }

// NewDataSource returns the data source zulip_channel.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_channel"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := dataSourceAttributes()
	attributes["id"] = schema.Int64Attribute{
		Optional: true, Computed: true, MarkdownDescription: "The channel's ID. Set this or `name`.",
		Validators: []validator.Int64{framework.ExactlyOneOf("id", "name")},
	}
	attributes["name"] = schema.StringAttribute{
		Optional: true, Computed: true, MarkdownDescription: "The channel's name, whatever its case. Set this or `id`.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "One channel, by ID or name; archived ones are found too.",
		Attributes:          attributes,
	}
}

// Read takes the channel from the snapshot.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config facts
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !d.Ready(&resp.Diagnostics) {
		return
	}
	view, err := d.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the channels", framework.Explain(err))
		return
	}
	wanted, at := "name:"+config.Name.ValueString(), path.Root("name")
	if config.Name.IsNull() {
		wanted, at = strconv.FormatInt(config.ID.ValueInt64(), 10), path.Root("id")
	}
	channel, err := framework.FindChannel(view, wanted)
	if err != nil {
		resp.Diagnostics.AddAttributeError(at, "No such channel", framework.Sentence(err))
		return
	}
	var found facts
	found.read(channel, view, d.Meta.Client.Site())
	resp.Diagnostics.Append(resp.State.Set(ctx, &found)...)
}

// dataSourceAttributes are the facts of a channel.
func dataSourceAttributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{
		"id":                         schema.Int64Attribute{Computed: true, MarkdownDescription: "The channel's ID."},
		"name":                       schema.StringAttribute{Computed: true, MarkdownDescription: "The channel's name."},
		"description":                schema.StringAttribute{Computed: true, MarkdownDescription: "What the channel is for, in Markdown."},
		"privacy":                    schema.StringAttribute{Computed: true, MarkdownDescription: "`public`, `web_public`, `private_shared_history` or `private_protected_history`."},
		"folder_id":                  schema.Int64Attribute{Computed: true, MarkdownDescription: "The ID of the channel folder it is in; `0` is none."},
		"topics_policy":              schema.StringAttribute{Computed: true, MarkdownDescription: "Whether messages may go without a topic."},
		"message_retention_days":     schema.StringAttribute{Computed: true, MarkdownDescription: "A number of days, `unlimited` or `realm_default`."},
		"is_default":                 schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether new people are put into the channel."},
		"default_push_notifications": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether mobile push notifications are turned on for new subscribers. " + featurelevel.Needs(kind, "default_push_notifications")},
		"creator_id":                 schema.Int64Attribute{Computed: true, MarkdownDescription: "The ID of the user who created it."},
		"date_created":               schema.StringAttribute{Computed: true, MarkdownDescription: "When it was created (RFC 3339)."},
		"is_archived":                schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether it is archived."},
		"url":                        schema.StringAttribute{Computed: true, MarkdownDescription: "Its address in the web app."},
	}
	framework.PermissionDataSourceAttributes(attributes, permission.Channels)
	return attributes
}
