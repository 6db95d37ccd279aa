package access

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// NewUserDataSource returns the data source zulip_user_access.
func NewUserDataSource() datasource.DataSource {
	return adapter.DataSource[userModel]{Name: "user_access", Schema: userDataSchema, Read: readUserData}.New()
}

func userDataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Reads the effective access of a user or bot: everything it can do in each channel and in the organization, and why.",
		Attributes: map[string]schema.Attribute{
			"user":             schema.StringAttribute{Required: true, MarkdownDescription: "Email address or ID of the user or bot. Case is ignored."},
			"channel_name":     schema.StringAttribute{Optional: true, MarkdownDescription: "Pattern for the names of channels: `*` matches any characters, `?` matches one. Case is ignored. Defaults to all channels."},
			"include_archived": schema.BoolAttribute{Optional: true, MarkdownDescription: "If true, archived channels are included. Defaults to `false`."},

			"user_id":                  schema.Int64Attribute{Computed: true, MarkdownDescription: "User ID."},
			"email":                    schema.StringAttribute{Computed: true, MarkdownDescription: "Email address: the real one if the provider's account can see it, otherwise the generated one."},
			"full_name":                schema.StringAttribute{Computed: true, MarkdownDescription: "Full name."},
			"role":                     schema.StringAttribute{Computed: true, MarkdownDescription: "Role: `owner`, `administrator`, `moderator`, `member` or `guest`."},
			"is_bot":                   schema.BoolAttribute{Computed: true, MarkdownDescription: "True for a bot."},
			"is_active":                schema.BoolAttribute{Computed: true, MarkdownDescription: "False if the user is deactivated. Deactivated users have no groups and no access."},
			"owner":                    schema.StringAttribute{Computed: true, MarkdownDescription: "Email address of the bot's owner, or the ID if the provider's account can't see the owner. Null for users."},
			"groups":                   schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Groups of the user by name, including roles such as `role:members`. The value is the path to the user: `group:leads` for a direct member, `group:leads > group:sre` through the subgroup `sre`."},
			"organization_permissions": schema.SetAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Permissions in the organization, by their names in `zulip_organization`, such as `can_create_public_channel_group`."},
			"channels": schema.MapNestedAttribute{
				Computed: true, MarkdownDescription: "Access to each channel, by channel name. Channels without access are listed too.",
				NestedObject: schema.NestedAttributeObject{Attributes: channelAttributes()},
			},
		},
	}
}

func channelAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":            schema.Int64Attribute{Computed: true, MarkdownDescription: "Channel ID."},
		"privacy":       schema.StringAttribute{Computed: true, MarkdownDescription: "Privacy: `public`, `web_public`, `private_shared_history` or `private_protected_history`."},
		"is_archived":   schema.BoolAttribute{Computed: true, MarkdownDescription: "True if the channel is archived."},
		"is_subscribed": schema.BoolAttribute{Computed: true, MarkdownDescription: fmt.Sprintf("True if the user is subscribed. Null for archived channels below feature level %d.", featurelevel.ArchivedChannels)},
		"permissions": schema.SetAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "Permissions in the channel, by the names of the attributes of `zulip_channel_access`: " + permissionNames() + ".",
		},
		"unknown_permissions": schema.SetAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "Permissions that can't be determined: the server doesn't have them, or doesn't show the subscribers of the archived channel.",
		},
		"access": schema.ListAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "Reasons for access to messages: `subscriber`, `public channel`, `web-public channel`, or a permission to join, such as `can_subscribe_group: group:leads`. Empty without access. Null if `is_subscribed` is null. With protected history, reading new messages requires a subscription.",
		},
		"through": schema.MapAttribute{
			Computed: true, ElementType: types.ListType{ElemType: types.StringType},
			MarkdownDescription: "Reasons for each element of `permissions`. Each reason is sufficient. It is a principal with the path to the user (`role:members`, `group:leads > group:sre`), another permission (`can_administer_channel_group: group:sre`), or `administrator of the organization`. For `can_read` and `can_subscribe_group`, it can be a reason in `access`. `owner of the bot: ` precedes reasons that come from a bot's owner. Posting, changing messages, and subscribing others also require access to the channel.",
		},
	}
}

// permissionNames returns the names of the permissions for the documentation.
func permissionNames() string {
	names := make([]string, len(permission.ChannelPermissions))
	for i, name := range permission.ChannelPermissions {
		names[i] = "`" + string(name) + "`"
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// readUserData takes the user and the channels from the snapshot, reads the subscribers, and computes the rest.
func readUserData(ctx context.Context, c *adapter.Call[userModel], found *userModel) error {
	view, err := c.Read("the channels", store.Channels)
	if err != nil {
		return err
	}
	user, err := lookup.User(view, found.User.ValueString())
	if err != nil {
		return lookup.Error(path.Root("user"), err, "")
	}
	if user.IsSystemBot {
		return base.Refused(path.Root("user"), fmt.Sprintf("Cannot show the access of %s", user.Address()),
			"Permissions do not apply to the server's own bots. Name a user or bot of the organization.")
	}
	channels := found.selected(view)
	subscribers, err := subscribersOf(ctx, c.Base, channels)
	if err != nil {
		return base.Failed("Cannot read the subscribers of the channels", err)
	}
	person := view.Access().Person(user)
	found.readUser(user, person, view)
	found.readChannels(user, person, channels, subscribers, c.Diags)
	return nil
}

// selected returns the configured channels.
func (m *userModel) selected(view *snapshot.Snapshot) (channels []*zulip.Channel) {
	matches := func(string) bool { return true }
	if !m.ChannelName.IsNull() {
		matches = core.NamePattern(m.ChannelName.ValueString())
	}
	for _, channel := range view.Channels().List() {
		if matches(channel.Name) && (!channel.IsArchived || m.IncludeArchived.ValueBool()) {
			channels = append(channels, channel)
		}
	}
	return channels
}

// subscribersOf returns the subscribers by channel. Archived channels are left out if the server does not show theirs.
func subscribersOf(ctx context.Context, b *base.Base, channels []*zulip.Channel) (map[int64][]int64, error) {
	var ids []int64
	for _, channel := range channels {
		if !channel.IsArchived || b.HasLevel(featurelevel.ArchivedChannels) {
			ids = append(ids, channel.ID)
		}
	}
	return b.Meta.Store.SubscribersOf(ctx, ids)
}

type userModel struct {
	User                    types.String `tfsdk:"user"`
	ChannelName             types.String `tfsdk:"channel_name"`
	IncludeArchived         types.Bool   `tfsdk:"include_archived"`
	UserID                  types.Int64  `tfsdk:"user_id"`
	Email                   types.String `tfsdk:"email"`
	FullName                types.String `tfsdk:"full_name"`
	Role                    types.String `tfsdk:"role"`
	IsBot                   types.Bool   `tfsdk:"is_bot"`
	IsActive                types.Bool   `tfsdk:"is_active"`
	Owner                   types.String `tfsdk:"owner"`
	Groups                  types.Map    `tfsdk:"groups"`
	OrganizationPermissions types.Set    `tfsdk:"organization_permissions"`
	Channels                types.Map    `tfsdk:"channels"`
}

var channelTypes = map[string]attr.Type{
	"id": types.Int64Type, "privacy": types.StringType, "is_archived": types.BoolType, "is_subscribed": types.BoolType,
	"permissions": types.SetType{ElemType: types.StringType}, "unknown_permissions": types.SetType{ElemType: types.StringType},
	"access": textsType, "through": types.MapType{ElemType: textsType},
}

var textsType = types.ListType{ElemType: types.StringType}

func (m *userModel) readUser(user *zulip.User, person *permission.Person, view *snapshot.Snapshot) {
	m.UserID, m.Email, m.FullName = types.Int64Value(user.ID), types.StringValue(user.Address()), types.StringValue(user.FullName)
	m.Role = types.StringValue(user.Role.String())
	m.IsBot, m.IsActive = types.BoolValue(user.IsBot), types.BoolValue(user.IsActive)
	m.Owner = types.StringNull()
	if user.IsBot && user.BotOwnerID != nil {
		m.Owner = types.StringValue(strconv.FormatInt(*user.BotOwnerID, 10))
		if owner, ok := view.User(*user.BotOwnerID); ok {
			m.Owner = types.StringValue(owner.Address())
		}
	}
	groups := map[string]attr.Value{}
	paths := person.Groups()
	for _, id := range slices.Sorted(maps.Keys(paths)) {
		if group, ok := view.UserGroups().ByID(id); ok {
			groups[group.Name] = types.StringValue(paths[id])
		}
	}
	m.Groups = types.MapValueMust(types.StringType, groups)
	m.OrganizationPermissions = types.SetValueMust(types.StringType, texts(person.OrganizationPermissions()))
}

// readChannels computes the user's permissions in each channel. subscribers lacks channels with unknown subscribers.
func (m *userModel) readChannels(user *zulip.User, person *permission.Person, channels []*zulip.Channel, subscribers map[int64][]int64, diags *diag.Diagnostics) {
	found, untold := map[string]attr.Value{}, 0
	for _, channel := range channels {
		facts := permission.ChannelOf(channel)
		facts.Subscribers, facts.SubscribersKnown = subscribers[channel.ID]
		if !facts.SubscribersKnown && channel.IsArchived {
			untold++
		}
		found[channel.Name] = channelValue(user, channel, &facts, person.In(facts))
	}
	m.Channels = types.MapValueMust(types.ObjectType{AttrTypes: channelTypes}, found)
	if untold > 0 {
		diags.AddAttributeWarning(path.Root("include_archived"), fmt.Sprintf("Cannot read the subscribers of archived channels (%d)", untold),
			fmt.Sprintf("Servers below feature level %d do not show them. unknown_permissions lists the permissions that depend on them. Remove the archived channels, or upgrade the server.", featurelevel.ArchivedChannels))
	}
}

func channelValue(user *zulip.User, channel *zulip.Channel, facts *permission.Channel, can permission.ChannelAccess) attr.Value {
	var permissions, unknown []string
	through := map[string]attr.Value{}
	for _, granted := range can.Permissions {
		permissions = append(permissions, string(granted.Permission))
		through[string(granted.Permission)] = types.ListValueMust(types.StringType, texts(granted.Through))
	}
	for _, permission := range can.Unknown {
		unknown = append(unknown, string(permission))
	}
	isSubscribed, access := types.BoolNull(), types.ListNull(types.StringType)
	if facts.SubscribersKnown {
		isSubscribed = types.BoolValue(user.IsActive && slices.Contains(facts.Subscribers, user.ID))
		access = types.ListValueMust(types.StringType, texts(can.Through))
	}
	return types.ObjectValueMust(channelTypes, map[string]attr.Value{
		"id": types.Int64Value(channel.ID), "privacy": types.StringValue(string(channel.Privacy())), "is_archived": types.BoolValue(channel.IsArchived),
		"is_subscribed": isSubscribed, "access": access,
		"permissions": types.SetValueMust(types.StringType, texts(permissions)), "unknown_permissions": types.SetValueMust(types.StringType, texts(unknown)),
		"through": types.MapValueMust(textsType, through),
	})
}

// texts returns strings as values; never nil, so that an empty list is not null.
func texts(all []string) []attr.Value {
	values := make([]attr.Value, len(all))
	for i, text := range all {
		values[i] = types.StringValue(text)
	}
	return values
}
