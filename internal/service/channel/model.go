package channel

import (
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// facts are what a channel is, for the resource and the data sources alike.
type facts struct {
	ID                   types.Int64  `tfsdk:"id"`
	Name                 types.String `tfsdk:"name"`
	Description          types.String `tfsdk:"description"`
	Privacy              types.String `tfsdk:"privacy"`
	FolderID             types.Int64  `tfsdk:"folder_id"`
	TopicsPolicy         types.String `tfsdk:"topics_policy"`
	MessageRetentionDays types.String `tfsdk:"message_retention_days"`
	IsDefault            types.Bool   `tfsdk:"is_default"`
	DefaultPush          types.Bool   `tfsdk:"default_push_notifications"`

	CanAddSubscribersGroup            types.Set `tfsdk:"can_add_subscribers_group"`
	CanAdministerChannelGroup         types.Set `tfsdk:"can_administer_channel_group"`
	CanCreateTopicGroup               types.Set `tfsdk:"can_create_topic_group"`
	CanDeleteAnyMessageGroup          types.Set `tfsdk:"can_delete_any_message_group"`
	CanDeleteOwnMessageGroup          types.Set `tfsdk:"can_delete_own_message_group"`
	CanMoveMessagesOutOfChannelGroup  types.Set `tfsdk:"can_move_messages_out_of_channel_group"`
	CanMoveMessagesWithinChannelGroup types.Set `tfsdk:"can_move_messages_within_channel_group"`
	CanRemoveSubscribersGroup         types.Set `tfsdk:"can_remove_subscribers_group"`
	CanSendMessageGroup               types.Set `tfsdk:"can_send_message_group"`
	CanSubscribeGroup                 types.Set `tfsdk:"can_subscribe_group"`
	CanResolveTopicsGroup             types.Set `tfsdk:"can_resolve_topics_group"`

	CreatorID   types.Int64  `tfsdk:"creator_id"`
	DateCreated types.String `tfsdk:"date_created"`
	IsArchived  types.Bool   `tfsdk:"is_archived"`
	URL         types.String `tfsdk:"url"`
}

// model is the resource: the facts, and how it is made and unmade.
type model struct {
	facts
	Announce           types.Bool   `tfsdk:"announce"`
	InitialSubscribers types.Set    `tfsdk:"initial_subscribers"`
	AdoptArchived      types.Bool   `tfsdk:"adopt_archived"`
	OnDestroy          types.String `tfsdk:"on_destroy"`
}

const (
	onDestroyArchive = "archive"
	onDestroyKeep    = "keep"
)

// permission returns the attribute of a setting.
func (f *facts) permission(setting string) *types.Set {
	switch setting {
	case "can_add_subscribers_group":
		return &f.CanAddSubscribersGroup
	case "can_administer_channel_group":
		return &f.CanAdministerChannelGroup
	case "can_create_topic_group":
		return &f.CanCreateTopicGroup
	case "can_delete_any_message_group":
		return &f.CanDeleteAnyMessageGroup
	case "can_delete_own_message_group":
		return &f.CanDeleteOwnMessageGroup
	case "can_move_messages_out_of_channel_group":
		return &f.CanMoveMessagesOutOfChannelGroup
	case "can_move_messages_within_channel_group":
		return &f.CanMoveMessagesWithinChannelGroup
	case "can_remove_subscribers_group":
		return &f.CanRemoveSubscribersGroup
	case "can_send_message_group":
		return &f.CanSendMessageGroup
	case "can_subscribe_group":
		return &f.CanSubscribeGroup
	case "can_resolve_topics_group":
		return &f.CanResolveTopicsGroup
	}
	panic("no attribute for the setting " + setting)
}

// permissionSets are the attributes of the settings, for what is done with them in the same way everywhere.
func (f *facts) permissionSets() framework.PermissionSets { return f.permission }

// priorPermissions are the permissions of a state; nil without one.
func (m *model) priorPermissions() framework.PermissionSets {
	if m == nil {
		return nil
	}
	return m.permission
}

// read takes what the server holds. Where an attribute already says the same in other words, its words are kept, so
// that a plan shows no difference that is none.
func (f *facts) read(channel *zulip.Channel, view *snapshot.Snapshot, site string) {
	f.ID = types.Int64Value(channel.ID)
	f.Name = types.StringValue(channel.Name)
	if storedDescription(f.Description.ValueString()) != channel.Description || f.Description.IsNull() || f.Description.IsUnknown() {
		f.Description = types.StringValue(channel.Description)
	}
	f.Privacy = types.StringValue(string(channel.Privacy()))
	f.FolderID = types.Int64Value(folderOf(channel))
	f.TopicsPolicy = types.StringNull()
	if channel.TopicsPolicy != "" { // servers below 392 have none
		f.TopicsPolicy = types.StringValue(channel.TopicsPolicy)
	}
	f.MessageRetentionDays = types.StringValue(retentionOf(channel))
	f.IsDefault = types.BoolValue(channel.IsDefault)
	f.DefaultPush = types.BoolPointerValue(channel.DefaultPushNotifications)
	f.permissionSets().Read(permission.Channels, channel.Permissions, view)
	f.CreatorID = types.Int64PointerValue(channel.CreatorID)
	f.DateCreated = types.StringValue(time.Unix(channel.DateCreated, 0).UTC().Format(time.RFC3339))
	f.IsArchived = types.BoolValue(channel.IsArchived)
	f.URL = types.StringValue(zulip.ChannelURL(site, channel.ID, channel.Name))
}

// forgetUnknown makes what is not known null: a state holds nothing that is unknown.
func (m *model) forgetUnknown() {
	m.permissionSets().ForgetUnknown(permission.Channels)
	for _, text := range []*types.String{&m.Description, &m.Privacy, &m.TopicsPolicy, &m.MessageRetentionDays, &m.DateCreated, &m.URL, &m.OnDestroy} {
		if text.IsUnknown() {
			*text = types.StringNull()
		}
	}
	for _, number := range []*types.Int64{&m.FolderID, &m.CreatorID} {
		if number.IsUnknown() {
			*number = types.Int64Null()
		}
	}
	for _, flag := range []*types.Bool{&m.IsDefault, &m.DefaultPush, &m.IsArchived} {
		if flag.IsUnknown() {
			*flag = types.BoolNull()
		}
	}
}

// keep gives back what a plan knew to the facts that were read after it was applied, and returns the permissions for
// which that makes a difference. What the plan did not change, somebody else may have changed meanwhile: that is for the
// next plan to find and to show, and the CLI takes nothing but what it was told.
func (f *facts) keep(plan *facts) (differing []string) {
	differing = f.permissionSets().Keep(permission.Channels, plan.permission)
	for _, text := range []struct {
		read    *types.String
		planned types.String
	}{
		{&f.Name, plan.Name}, {&f.Description, plan.Description}, {&f.Privacy, plan.Privacy}, {&f.TopicsPolicy, plan.TopicsPolicy},
		{&f.MessageRetentionDays, plan.MessageRetentionDays}, {&f.DateCreated, plan.DateCreated}, {&f.URL, plan.URL},
	} {
		framework.KeepKnown(text.read, text.planned)
	}
	framework.KeepKnown(&f.FolderID, plan.FolderID)
	framework.KeepKnown(&f.CreatorID, plan.CreatorID)
	framework.KeepKnown(&f.IsDefault, plan.IsDefault)
	framework.KeepKnown(&f.DefaultPush, plan.DefaultPush)
	framework.KeepKnown(&f.IsArchived, plan.IsArchived)
	return differing
}

// seen rebuilds the channel that a state shows, with the raw permissions kept beside it: what the plan was made from.
func (f *facts) seen(raw map[string]zulip.GroupSettingValue) *zulip.Channel {
	channel := &zulip.Channel{
		ID: f.ID.ValueInt64(), Name: f.Name.ValueString(), Description: storedDescription(f.Description.ValueString()),
		TopicsPolicy: f.TopicsPolicy.ValueString(), IsDefault: f.IsDefault.ValueBool(),
		DefaultPushNotifications: f.DefaultPush.ValueBoolPointer(),
		FolderID:                 folderID(f.FolderID.ValueInt64()), Permissions: raw,
	}
	privacy := zulip.Privacy(f.Privacy.ValueString())
	channel.InviteOnly = privacy.IsPrivate()
	channel.IsWebPublic = privacy == zulip.PrivacyWebPublic
	channel.HistoryPublicToSubscribers = privacy != zulip.PrivacyPrivateProtectedHistory
	switch retention := parseRetention(f.MessageRetentionDays.ValueString()); retention.Word {
	case retentionDefault:
	case retentionUnlimited:
		channel.MessageRetentionDays = new(int64)
		*channel.MessageRetentionDays = -1
	default:
		channel.MessageRetentionDays = &retention.Days
	}
	return channel
}

// storedDescription is what the server makes of a description: each line break becomes a space (server-behavior §C5).
func storedDescription(text string) string { return strings.ReplaceAll(text, "\n", " ") }

// folderOf returns the folder's ID, or 0 for none: null in a configuration means "not managed".
func folderOf(channel *zulip.Channel) int64 {
	if channel.FolderID == nil {
		return 0
	}
	return *channel.FolderID
}

func folderID(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

// The two words that stand for a number of days (server-behavior §C4).
const (
	retentionDefault   = "realm_default"
	retentionUnlimited = "unlimited"
)

func retentionOf(channel *zulip.Channel) string {
	switch days := channel.MessageRetentionDays; {
	case days == nil:
		return retentionDefault
	case *days == -1:
		return retentionUnlimited
	default:
		return strconv.FormatInt(*days, 10)
	}
}

// parseRetention reads what the validator let through.
func parseRetention(text string) zulip.Retention {
	if days, err := strconv.ParseInt(text, 10, 64); err == nil {
		return zulip.Retention{Days: days}
	}
	return zulip.Retention{Word: text}
}
