package channels

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// NewChannelDataSource returns the data source zulip_channel.
func NewChannelDataSource() datasource.DataSource {
	return adapter.DataSource[shownChannel]{Name: "channel", Schema: channelDataSchema, Read: readChannelData}.New()
}

func channelDataSchema() schema.Schema {
	all := shownChannelAttributes()
	all["id"] = schema.Int64Attribute{
		Optional: true, Computed: true, MarkdownDescription: "ID of the channel. Set this or `name`.",
		Validators: []validator.Int64{validators.ExactlyOneOf("id", "name")},
	}
	all["name"] = schema.StringAttribute{
		Optional: true, Computed: true, MarkdownDescription: "Name of the channel. Case is ignored. Set this or `id`.",
	}
	return schema.Schema{
		MarkdownDescription: "Reads a channel by ID or name, even if it is archived.",
		Attributes:          all,
	}
}

func readChannelData(_ context.Context, c *adapter.Call[shownChannel], config *shownChannel) error {
	s, err := c.Read("the channels", store.Channels)
	if err != nil {
		return err
	}
	wanted, at := "name:"+config.Name.ValueString(), path.Root("name")
	if config.Name.IsNull() {
		wanted, at = strconv.FormatInt(config.ID.ValueInt64(), 10), path.Root("id")
	}
	channel, err := lookup.Channel(s, wanted)
	if err != nil {
		return lookup.NoSuchChannel(at, err)
	}
	*config = shownChannel{}
	config.read(channel, attribute.NewEnv(c.Base, s), c.Diags)
	return nil
}

// shownChannel are the attributes that both data sources have.
type shownChannel struct {
	channelFields
	CreatorID   types.Int64  `tfsdk:"creator_id"`
	DateCreated types.String `tfsdk:"date_created"`
	IsArchived  types.Bool   `tfsdk:"is_archived"`
}

func (s *shownChannel) read(channel *zulip.Channel, env attribute.Env, diags *diag.Diagnostics) {
	channelTable.Read(&s.channelFields, channel, env, diags)
	s.CreatorID = types.Int64PointerValue(channel.CreatorID)
	s.DateCreated = types.StringValue(time.Unix(channel.DateCreated, 0).UTC().Format(time.RFC3339))
	s.IsArchived = types.BoolValue(channel.IsArchived)
}

// shownChannelAttributes describe the attributes that both data sources have.
func shownChannelAttributes() map[string]schema.Attribute {
	all := channelTable.DataSourceAttributes()
	all["creator_id"] = schema.Int64Attribute{Computed: true, MarkdownDescription: "User ID of the creator. Null for very old channels and for channels imported from another product."}
	all["date_created"] = schema.StringAttribute{Computed: true, MarkdownDescription: "Time at which the channel was created (RFC 3339)."}
	all["is_archived"] = schema.BoolAttribute{Computed: true, MarkdownDescription: "If true, the channel is archived."}
	return all
}

// NewChannelsDataSource returns the data source zulip_channels.
func NewChannelsDataSource() datasource.DataSource {
	return adapter.DataSource[channelListModel]{Name: "channels", Schema: channelsDataSchema, Read: readChannelsData}.New()
}

func channelsDataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lists the channels that the provider's account can see, sorted by name. Administrators see every channel.",
		Attributes: map[string]schema.Attribute{
			"include_archived": schema.BoolAttribute{Optional: true, MarkdownDescription: "If true, archived channels are included. Defaults to `false`."},
			"privacy":          schema.StringAttribute{Optional: true, MarkdownDescription: "Only channels with this privacy."},
			"folder_id":        schema.Int64Attribute{Optional: true, MarkdownDescription: "Only channels in the folder with this ID. `0` selects channels without a folder."},
			"is_default":       schema.BoolAttribute{Optional: true, MarkdownDescription: "Only default channels (`true`), or only other channels (`false`)."},
			"channels": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "Channels.",
				NestedObject: schema.NestedAttributeObject{Attributes: shownChannelAttributes()},
			},
		},
	}
}

func readChannelsData(_ context.Context, c *adapter.Call[channelListModel], list *channelListModel) error {
	s, err := c.Read("the channels", store.Channels)
	if err != nil {
		return err
	}
	list.Channels = []shownChannel{}
	env := attribute.NewEnv(c.Base, s)
	for _, channel := range s.Channels().List() {
		if channel.IsArchived && !list.IncludeArchived.ValueBool() ||
			!list.Privacy.IsNull() && list.Privacy.ValueString() != string(channel.Privacy()) ||
			!list.FolderID.IsNull() && list.FolderID.ValueInt64() != folderOf(channel) ||
			!list.IsDefault.IsNull() && list.IsDefault.ValueBool() != channel.IsDefault {
			continue
		}
		var found shownChannel
		found.read(channel, env, c.Diags)
		list.Channels = append(list.Channels, found)
	}
	return nil
}

type channelListModel struct {
	IncludeArchived types.Bool     `tfsdk:"include_archived"`
	Privacy         types.String   `tfsdk:"privacy"`
	FolderID        types.Int64    `tfsdk:"folder_id"`
	IsDefault       types.Bool     `tfsdk:"is_default"`
	Channels        []shownChannel `tfsdk:"channels"`
}

// NewChannelList returns the list resource zulip_channel.
func NewChannelList() list.ListResource {
	return core.NewList(core.ListDefinition[zulip.Channel]{
		Name: "channel", Plural: "channels",
		ListText: core.ListText{Description: "Lists the channels that the provider's account can see. Administrators see every channel."},
		Objects:  core.FromSnapshot(func(s *snapshot.Snapshot) []*zulip.Channel { return s.Channels().List() }, func(*snapshot.Snapshot, *zulip.Channel) bool { return true }, store.Channels),
		Key:      func(channel *zulip.Channel) any { return channel.ID },
		Label:    func(channel *zulip.Channel, _ *snapshot.Snapshot) string { return channel.Name },
		IsGone:   func(channel *zulip.Channel) bool { return channel.IsArchived }, GoneWord: "archived",
		Filters: []core.ListFilter[zulip.Channel]{
			{
				Name: "folder", Description: "Channel folder, by ID or name. `\"\"` lists channels without a folder.",
				Select: selectFolder,
			},
			{
				Name: "privacy", Description: "Privacy, such as `private_shared_history`.",
				Select: selectPrivacy,
			},
		},
	})
}

func selectFolder(s *snapshot.Snapshot, text string) (func(*zulip.Channel) bool, error) {
	folder := int64(0)
	if found, ok := s.Folders().ByName(text); ok {
		folder = found.ID
	} else if text != "" {
		number, err := strconv.ParseInt(text, 10, 64)
		if _, ok := s.Folders().ByID(number); err != nil || !ok {
			names := suggest.Names{Things: "channel folders", All: s.Folders().Names(), Where: "the data source zulip_channel_folders lists all"}
			return nil, fmt.Errorf("the organization has no channel folder called %q%s", text, names.Suggest(text))
		}
		folder = number
	}
	return func(channel *zulip.Channel) bool { return folderOf(channel) == folder }, nil
}

func selectPrivacy(s *snapshot.Snapshot, text string) (func(*zulip.Channel) bool, error) {
	words := map[string]func(*zulip.Channel) bool{}
	for _, privacy := range zulip.Privacies {
		words[string(privacy)] = func(channel *zulip.Channel) bool { return channel.Privacy() == privacy }
	}
	return core.OneOf(words)(s, text)
}

// NewChannelTopicsDataSource returns the data source zulip_channel_topics.
func NewChannelTopicsDataSource() datasource.DataSource {
	return adapter.DataSource[channelTopicsModel]{Name: "channel_topics", Schema: channelTopicsDataSchema, Read: readChannelTopicsData}.New()
}

func channelTopicsDataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lists the topics of a channel, the topic with the newest message first.",
		Attributes: map[string]schema.Attribute{
			"channel": schema.StringAttribute{
				Required: true, MarkdownDescription: "Channel by ID or name, such as `zulip_channel.x.id`. Write `name:2024` for a name that is a number.",
			},
			"channel_id": schema.Int64Attribute{Computed: true, MarkdownDescription: "ID of the channel."},
			"topics": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "Topics.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name":   schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the topic; `\"\"` for the topic without a name."},
					"max_id": schema.Int64Attribute{Computed: true, MarkdownDescription: "ID of the newest message."},
				}},
			},
		},
	}
}

func readChannelTopicsData(ctx context.Context, c *adapter.Call[channelTopicsModel], state *channelTopicsModel) error {
	view, err := c.Read("the channels", store.Channels)
	if err != nil {
		return err
	}
	channel, err := lookup.Channel(view, state.Channel.ValueString())
	if err != nil {
		return lookup.NoSuchChannel(path.Root("channel"), err)
	}
	topics, err := c.Meta.Client.Topics(ctx, channel.ID)
	if err != nil {
		return base.Refused(path.Root("channel"), fmt.Sprintf("Cannot read the topics of channel %q", channel.Name),
			base.Explain(err)+"\n\n"+whyTopicsUnreadable(c.Base, channel))
	}
	state.ChannelID, state.Topics = types.Int64Value(channel.ID), []topicEntry{}
	for _, topic := range topics {
		state.Topics = append(state.Topics, topicEntry{types.StringValue(topic.Name), types.Int64Value(topic.MaxID)})
	}
	return nil
}

// whyTopicsUnreadable returns why the server may refuse to show the topics of a channel.
func whyTopicsUnreadable(b *base.Base, channel *zulip.Channel) string {
	if channel.IsArchived && !b.HasLevel(featurelevel.ArchivedChannels) {
		return fmt.Sprintf("The channel is archived. Reading the topics of an archived channel requires %s; the server has %d.",
			featurelevel.Describe(featurelevel.ArchivedChannels), b.FeatureLevel())
	}
	return "The server shows the topics of a private channel only to its subscribers."
}

type channelTopicsModel struct {
	Channel   types.String `tfsdk:"channel"`
	ChannelID types.Int64  `tfsdk:"channel_id"`
	Topics    []topicEntry `tfsdk:"topics"`
}

type topicEntry struct {
	Name  types.String `tfsdk:"name"`
	MaxID types.Int64  `tfsdk:"max_id"`
}
