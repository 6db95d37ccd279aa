// Package topic is the data source zulip_channel_topics: the topics of a channel.
package topic

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// DataSource is the data source zulip_channel_topics.
type DataSource struct{ base.DataSource }

// NewDataSource returns the data source zulip_channel_topics.
func NewDataSource() datasource.DataSource { return &DataSource{} }

type model struct {
	Channel   types.String `tfsdk:"channel"`
	ChannelID types.Int64  `tfsdk:"channel_id"`
	Topics    []entry      `tfsdk:"topics"`
}

type entry struct {
	Name  types.String `tfsdk:"name"`
	MaxID types.Int64  `tfsdk:"max_id"`
}

// whyUnreadable says why the server may refuse to show the topics of a channel.
func (d *DataSource) whyUnreadable(channel *zulip.Channel) string {
	if channel.IsArchived && !d.HasLevel(featurelevel.ArchivedChannels) {
		return fmt.Sprintf("The channel is archived. Showing the topics of an archived channel needs %s; the server has %d.",
			featurelevel.Describe(featurelevel.ArchivedChannels), d.FeatureLevel())
	}
	return "The server shows the topics of a private channel only to its subscribers."
}

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_channel_topics"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The topics of a channel, the one with the newest message first. Those of an archived channel can be read from feature level 480 on. In a private channel with protected history they are those of which the account the provider uses has received a message.",
		Attributes: map[string]schema.Attribute{
			"channel": schema.StringAttribute{
				Required: true, MarkdownDescription: "The channel: its ID, as in `zulip_channel.x.id`, or its name. A channel whose name is a number is written `name:2024`.",
			},
			"channel_id": schema.Int64Attribute{Computed: true, MarkdownDescription: "The channel's ID."},
			"topics": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The topics.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name":   schema.StringAttribute{Computed: true, MarkdownDescription: "The topic's name; `\"\"` for the topic without one."},
					"max_id": schema.Int64Attribute{Computed: true, MarkdownDescription: "The ID of its newest message."},
				}},
			},
		},
	}
}

// Read asks the server for the topics.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.Config.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !d.Ready(&resp.Diagnostics) {
		return
	}
	view, err := d.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the channels", base.Explain(err))
		return
	}
	channel, err := lookup.Channel(view, state.Channel.ValueString())
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("channel"), "No such channel", base.Sentence(err))
		return
	}
	topics, err := d.Meta.Client.Topics(ctx, channel.ID)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("channel"), fmt.Sprintf("Cannot read the topics of channel %q", channel.Name),
			base.Explain(err)+"\n\n"+d.whyUnreadable(channel))
		return
	}
	state.ChannelID, state.Topics = types.Int64Value(channel.ID), []entry{}
	for _, topic := range topics {
		state.Topics = append(state.Topics, entry{types.StringValue(topic.Name), types.Int64Value(topic.MaxID)})
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}
