// Package access has the data sources zulip_channel_access, who can really do what in a channel, and zulip_user_access, what
// one person or bot can really do in all of them.
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

// meanings say of each right what it is to have it, after "Who can".
var meanings = map[permission.Right]string{
	permission.CanRead:                      "read what is written in the channel from now on. Administrators of the organization do not read private channels by their role, and where the history is protected only who is in the channel reads",
	permission.CanAdministerChannel:         "change the channel's settings and archive it: whom the channel's permission admits, and every administrator of the organization",
	permission.CanAddSubscribers:            "add others to the channel: who is in it or could come in, and has the right by the channel's permission, by the organization's, or as administrator of either",
	permission.CanSubscribe:                 "come into the channel by themselves if they are not in it",
	permission.CanSendMessage:               "post. A bot may where its owner may",
	permission.CanCreateTopic:               "start topics: who can post, and has this right too. A bot may where its owner may. Nobody where `topics_policy` is `empty_topic_only`",
	permission.CanRemoveSubscribers:         "take others out of the channel: whom the channel's permission admits if they know of the channel, and administrators of the channel and of the organization",
	permission.CanDeleteAnyMessage:          "delete anyone's messages, by the channel's permission or the organization's",
	permission.CanDeleteOwnMessage:          "delete their own messages, by the channel's permission or the organization's, as long as the organization's time limit lets them",
	permission.CanMoveMessagesOutOfChannel:  "move messages to another channel, by the channel's permission or the organization's, or as administrator of either",
	permission.CanMoveMessagesWithinChannel: "move messages to another topic, by the channel's permission or the organization's, or as administrator of either; to a topic that is not there yet, if they can start topics too",
	permission.CanResolveTopics:             "mark topics as resolved, by the channel's permission or the organization's",
}

func channelDataSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"channel": schema.StringAttribute{
			Required: true, MarkdownDescription: "The channel: its ID, as in `zulip_channel.x.id`, or its name. A channel whose name is a number is written `name:2024`.",
		},
		"channel_id": schema.Int64Attribute{Computed: true, MarkdownDescription: "The channel's ID."},
		"name":       schema.StringAttribute{Computed: true, MarkdownDescription: "The channel's name."},
		"privacy":    schema.StringAttribute{Computed: true, MarkdownDescription: "`public`, `web_public`, `private_shared_history` or `private_protected_history`. People without an account, who may read what is `web_public`, are not among the people below: see `readable_without_account`."},
		"readable_without_account": schema.BoolAttribute{
			Computed: true, MarkdownDescription: "Whether anyone on the internet reads the channel without an account: it is `web_public`, and the organization's `enable_spectator_access` is on.",
		},
		"is_archived": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the channel is archived. In an archived channel nobody can do anything to messages, and servers below feature level 480 do not tell who is in it."},
	}
	for _, right := range permission.Rights {
		attributes[string(right)] = schema.SingleNestedAttribute{
			Computed: true, MarkdownDescription: "Who can " + meanings[right] + ".", Attributes: whoAttributes(),
		}
	}
	return schema.Schema{
		MarkdownDescription: "Who can really do what in a channel, as the server decides: roles, groups in groups, guests and bots, the organization's permissions and who is in the channel are all taken into account; deactivated accounts are left out. An incoming webhook bot can post and start topics, and nothing else. " +
			"It is for a `check`, a `precondition` or a `postcondition` that holds what has to be so.\n\n" +
			"`zulip_channel` shows the values of the permissions; this shows what they come to. A right for which the server is too old, or of which it cannot be told who has it, is null.\n\n" +
			"It is read at plan where the channel is there already, and says who can do what now. With `depends_on` it is read at apply whenever one of those resources changes, and the plan lists all of it as known after apply, with everything that uses it: name the channel by `zulip_channel.x.id` instead, which orders the two without that. " +
			"What a change would come to is said by the plan's warnings and the access review, before it is applied.",
		Attributes: attributes,
	}
}

func whoAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"users": schema.ListAttribute{
			ElementType: types.StringType, Computed: true,
			MarkdownDescription: "Their e-mail addresses, sorted; of somebody whose address the account the provider uses may not see, the one that the server makes up.",
		},
		"user_ids":    schema.ListAttribute{ElementType: types.Int64Type, Computed: true, MarkdownDescription: "Their IDs, ascending."},
		"count":       schema.Int64Attribute{Computed: true, MarkdownDescription: "How many there are, guests and bots included."},
		"guest_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "How many of them are guests."},
		"bot_count":   schema.Int64Attribute{Computed: true, MarkdownDescription: "How many of them are bots."},
	}
}

// readChannelData takes the channel from the snapshot, asks who is in it, and works out the rest.
func readChannelData(ctx context.Context, c *adapter.Call[types.Object], m *types.Object) error {
	wanted, _ := m.Attributes()["channel"].(types.String)
	view, err := c.Read("the channels", store.Channels)
	if err != nil {
		return err
	}
	channel, err := lookup.Channel(view, wanted.ValueString())
	if err != nil {
		return base.Refused(path.Root("channel"), "No such channel", base.Sentence(err))
	}
	facts, err := factsOf(ctx, c.Base, channel)
	if err != nil {
		return base.Refused(path.Root("channel"), fmt.Sprintf("Cannot read who is in channel %q", channel.Name), base.Explain(err))
	}
	values := map[string]attr.Value{
		"channel": wanted, "channel_id": types.Int64Value(channel.ID), "name": types.StringValue(channel.Name),
		"privacy": types.StringValue(string(channel.Privacy())), "is_archived": types.BoolValue(channel.IsArchived),
	}
	reads, _ := permission.ChannelRights{Access: view.Access(), Channel: facts}.IsReadByInternet()
	values["readable_without_account"] = types.BoolValue(reads)
	var untold []string
	for _, right := range permission.Rights {
		who, certain := view.Access().Can(right, facts)
		if _, has := channel.Permissions[string(right)]; !certain && (has || right == permission.CanRead) {
			untold = append(untold, right.InWords())
		}
		values[string(right)] = whoOf(who, certain)
	}
	if len(untold) > 0 {
		c.Diags.AddAttributeWarning(path.Root("channel"), fmt.Sprintf("Not everything can be told of channel %q", channel.Name),
			fmt.Sprintf("It is archived, and servers below feature level 480 do not tell who is in an archived channel. Who can do this depends on it, and is null: %s.", strings.Join(untold, ", ")))
	}
	*m = types.ObjectValueMust(m.AttributeTypes(ctx), values)
	return nil
}

// factsOf returns what decides in a channel, and who is in it. Servers show who is in an archived channel from feature level 480 on.
func factsOf(ctx context.Context, b *base.Base, channel *zulip.Channel) (permission.Channel, error) {
	facts := permission.ChannelOf(channel)
	if channel.IsArchived && !b.HasLevel(featurelevel.ArchivedChannels) {
		tflog.Info(ctx, "Who is in an archived channel cannot be asked", map[string]any{"name": channel.Name})
		return facts, nil
	}
	found, err := b.Meta.Store.Subscribers(ctx, channel.ID)
	// For an archived channel, nil means that the server does not show them: its feature level is not known, and is below 480.
	facts.Subscribers, facts.SubscribersKnown = found, found != nil || !channel.IsArchived
	return facts, err
}

var whoTypes = map[string]attr.Type{
	"users": types.ListType{ElemType: types.StringType}, "user_ids": types.ListType{ElemType: types.Int64Type},
	"count": types.Int64Type, "guest_count": types.Int64Type, "bot_count": types.Int64Type,
}

// whoOf writes people as the value of a right; null if they are not all for certain.
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
