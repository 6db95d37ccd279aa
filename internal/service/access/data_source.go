// Package access has the data sources zulip_channel_access, the effective access of everyone to a channel, and
// zulip_user_access, the effective access of one person or bot to all channels.
package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// NewDataSource returns the data source zulip_channel_access.
func NewDataSource() datasource.DataSource {
	return adapter.DataSource[types.Object]{Name: "channel_access", Schema: channelDataSchema, Read: readChannelData}.New()
}

// meanings describe the users who have each permission.
var meanings = map[permission.ChannelPermission]string{
	permission.CanRead:                      "Users who can read new messages. Administrators of the organization don't read private channels by their role. With protected history, only subscribers can read.",
	permission.CanAdministerChannel:         "Users who can change the settings of the channel and archive it: by its permission, or as administrators of the organization.",
	permission.CanAddSubscribers:            "Users who can subscribe others: by the permission of the channel or the organization, or as administrators of either. They must be subscribed or able to subscribe.",
	permission.CanSubscribe:                 "Users who can subscribe themselves.",
	permission.CanSendMessage:               "Users who can post. A bot can if its owner can.",
	permission.CanCreateTopic:               "Users who can post and start topics. A bot can if its owner can. No one can if `topics_policy` is `empty_topic_only`.",
	permission.CanRemoveSubscribers:         "Users who can unsubscribe others: by the permission of the channel if they can see it, or as administrators of the channel or the organization.",
	permission.CanDeleteAnyMessage:          "Users who can delete anyone's messages, by the permission of the channel or the organization.",
	permission.CanDeleteOwnMessage:          "Users who can delete their own messages, by the permission of the channel or the organization, within the organization's time limit.",
	permission.CanMoveMessagesOutOfChannel:  "Users who can move messages to another channel, by the permission of the channel or the organization, or as administrators of either.",
	permission.CanMoveMessagesWithinChannel: "Users who can move messages to another topic, by the permission of the channel or the organization, or as administrators of either. A new topic also requires permission to start topics.",
	permission.CanResolveTopics:             "Users who can mark topics as resolved, by the permission of the channel or the organization.",
}

func channelDataSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"channel": schema.StringAttribute{
			Required: true, MarkdownDescription: "Channel by ID or name, such as `zulip_channel.x.id`. Write `name:2024` for a name that is a number.",
		},
		"channel_id": schema.Int64Attribute{Computed: true, MarkdownDescription: "ID of the channel."},
		"name":       schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the channel."},
		"privacy":    schema.StringAttribute{Computed: true, MarkdownDescription: "Privacy: `public`, `web_public`, `private_shared_history` or `private_protected_history`."},
		"readable_without_account": schema.BoolAttribute{
			Computed: true, MarkdownDescription: "True if anyone on the internet can read the channel: it is `web_public`, and the organization's `enable_spectator_access` is true. `can_read` doesn't count these people.",
		},
		"is_archived": schema.BoolAttribute{Computed: true, MarkdownDescription: "True if the channel is archived. No one can change messages in an archived channel. Servers below feature level 480 don't show its subscribers."},
	}
	for _, name := range permission.ChannelPermissions {
		attributes[string(name)] = schema.SingleNestedAttribute{
			Computed: true, MarkdownDescription: meanings[name], Attributes: whoAttributes(),
		}
	}
	return schema.Schema{
		MarkdownDescription: "Reads the effective access to a channel: the users who can do each thing in it.",
		Attributes:          attributes,
	}
}

func whoAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"users": schema.ListAttribute{
			ElementType: types.StringType, Computed: true,
			MarkdownDescription: "Sorted email addresses, generated ones if the provider's account can't see the real ones.",
		},
		"user_ids":    schema.ListAttribute{ElementType: types.Int64Type, Computed: true, MarkdownDescription: "Sorted user IDs."},
		"count":       schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of users, including guests and bots."},
		"guest_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of guests."},
		"bot_count":   schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of bots."},
	}
}

// readChannelData takes the channel from the snapshot, reads its subscribers, and computes the rest.
func readChannelData(ctx context.Context, c *adapter.Call[types.Object], m *types.Object) error {
	wanted, _ := m.Attributes()["channel"].(types.String)
	view, err := c.Read("the channels", store.Channels)
	if err != nil {
		return err
	}
	channel, err := lookup.Channel(view, wanted.ValueString())
	if err != nil {
		return lookup.NoSuchChannel(path.Root("channel"), err)
	}
	facts, err := factsOf(ctx, c.Base, channel)
	if err != nil {
		return base.Refused(path.Root("channel"), fmt.Sprintf("Cannot read the subscribers of channel %q", channel.Name), base.Explain(err))
	}
	values := map[string]attr.Value{
		"channel": wanted, "channel_id": types.Int64Value(channel.ID), "name": types.StringValue(channel.Name),
		"privacy": types.StringValue(string(channel.Privacy())), "is_archived": types.BoolValue(channel.IsArchived),
	}
	reads, _ := permission.ChannelState{Access: view.Access(), Channel: facts}.IsReadByInternet()
	values["readable_without_account"] = types.BoolValue(reads)
	var untold []string
	for _, name := range permission.ChannelPermissions {
		who, certain := view.Access().Can(name, facts)
		if _, has := channel.Permissions[string(name)]; !certain && (has || name == permission.CanRead) {
			untold = append(untold, name.InWords())
		}
		values[string(name)] = whoOf(who, certain)
	}
	if len(untold) > 0 {
		c.Diags.AddAttributeWarning(path.Root("channel"), fmt.Sprintf("Some facts about channel %q are unknown", channel.Name),
			fmt.Sprintf("It is archived, and servers below feature level 480 do not show the subscribers of an archived channel. These attributes depend on them and are null: %s.", strings.Join(untold, ", ")))
	}
	*m = types.ObjectValueMust(m.AttributeTypes(ctx), values)
	return nil
}

// factsOf returns the facts that decide access to a channel, and its subscribers. Servers show the subscribers of an
// archived channel from feature level 480 on.
func factsOf(ctx context.Context, b *base.Base, channel *zulip.Channel) (permission.Channel, error) {
	facts := permission.ChannelOf(channel)
	if channel.IsArchived && !b.HasLevel(featurelevel.ArchivedChannels) {
		tflog.Info(ctx, "The subscribers of an archived channel cannot be read", map[string]any{"name": channel.Name})
		return facts, nil
	}
	found, err := b.Meta.Store.Subscribers(ctx, channel.ID)
	// For an archived channel, nil means that the server does not show them, because its unknown feature level is below
	// 480.
	facts.Subscribers, facts.SubscribersKnown = found, found != nil || !channel.IsArchived
	return facts, err
}

var whoTypes = map[string]attr.Type{
	"users": types.ListType{ElemType: types.StringType}, "user_ids": types.ListType{ElemType: types.Int64Type},
	"count": types.Int64Type, "guest_count": types.Int64Type, "bot_count": types.Int64Type,
}

// whoOf returns people as the value of a permission; null if the list is not certainly complete.
func whoOf(who permission.People, certain bool) types.Object {
	if !certain {
		return types.ObjectNull(whoTypes)
	}
	var (
		addresses    []string
		ids          []attr.Value
		guests, bots int64
	)
	for user := range who.All() {
		addresses, ids = append(addresses, user.Address()), append(ids, types.Int64Value(user.ID))
		if user.Role == zulip.RoleGuest {
			guests++
		}
		if user.IsBot {
			bots++
		}
	}
	slices.Sort(addresses)
	users := make([]attr.Value, len(addresses))
	for i, address := range addresses {
		users[i] = types.StringValue(address)
	}
	return types.ObjectValueMust(whoTypes, map[string]attr.Value{
		"users": types.ListValueMust(types.StringType, users), "user_ids": types.ListValueMust(types.Int64Type, ids),
		"count": types.Int64Value(int64(len(ids))), "guest_count": types.Int64Value(guests), "bot_count": types.Int64Value(bots),
	})
}
