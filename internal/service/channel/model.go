package channel

import "github.com/hashicorp/terraform-plugin-framework/types"

// facts are the attributes that the server has of a channel, for the resource and the data sources. The table [attributes]
// describes them.
type facts struct {
	ID                   types.Int64  `tfsdk:"id"`
	Name                 types.String `tfsdk:"name"`
	Description          types.String `tfsdk:"description"`
	Privacy              types.String `tfsdk:"privacy"`
	FolderID             types.Int64  `tfsdk:"folder_id"`
	Folder               types.String `tfsdk:"folder"`
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

// model is the resource: the facts, and how the channel is created and destroyed.
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
