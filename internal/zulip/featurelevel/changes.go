package featurelevel

// The levels at which the server's behavior changed and the provider adapts, so that the same configuration works below and
// above. What requires a level is in [Table] instead.
const (
	// ReactivateChannel is from when on an archived channel can be unarchived.
	ReactivateChannel = 388
	// DeactivatedGroupMembers is from when on the members of a deactivated user group can be changed.
	DeactivatedGroupMembers = 391
	// QuietSubscribing is from when on people can be subscribed without a message.
	QuietSubscribing = 397
	// StatusOfOthers is from when on administrators can set the status of others.
	StatusOfOthers = 407
	// CreateChannel is from when on there is an endpoint that creates channels.
	CreateChannel = 417
	// TargetUsers is from when on administrators can set the personal settings of others.
	TargetUsers = 444
	// BotShortName is from when on the short name of a bot can be changed.
	BotShortName = 447
	// GIFRatingPolicy is from when on the setting giphy_rating is called gif_rating_policy.
	GIFRatingPolicy = 453
	// HomeViewRecent is from when on the home view recent_topics is called recent.
	HomeViewRecent = 454
	// DeactivationActions is from when on messages can be deleted when their author is deactivated.
	DeactivationActions = 459
	// BotAPIKey is from when on the key of a bot is read by itself.
	BotAPIKey = 463
	// StatusByBots is from when on bots with an administrator's role can set the status of people.
	StatusByBots = 473
	// SlimBots is from when on the list of bots has only the fields that the list of users has not.
	SlimBots = 474
	// WorkplaceUsers is from when on an organization has the permission workplace_users_group.
	WorkplaceUsers = 477
	// ArchivedChannels is from when on archived channels can be read like others.
	ArchivedChannels = 480
	// DeletedUsers is from when on a deactivated account reports whether it was deleted.
	DeletedUsers = 490
	// UserGroupsByBots is from when on bots can manage user groups.
	UserGroupsByBots = 496
	// NoLegacyPush is from when on notifications that are not encrypted are not sent where encryption is required.
	NoLegacyPush = 500
	// ChannelPushNotifications is from when on a channel reports whether new subscribers get push notifications.
	ChannelPushNotifications = 507
	// MessageURL is from when on the answer to a sent message holds its URL.
	MessageURL = 508
	// HideLinkPreviews is from when on messages have a flag that hides the previews of their links.
	HideLinkPreviews = 510
)

// Change says what the provider does below a level and from it on.
type Change struct {
	Level int
	// Of is the resource, data source or action that is affected.
	Of string
	// Below and From are what happens on servers of a lower level, and from the level on.
	Below, From string
}

// Changes lists what works on both sides of a level, by level.
var Changes = []Change{
	{CreateChannel, "zulip_channel", "A channel is created by subscribing to it.", "A channel is created by a request of its own."},
	{BotShortName, "zulip_bot", "A changed `short_name` forces a new bot.", "A changed `short_name` is applied in place."},
	{GIFRatingPolicy, "zulip_organization", "`giphy_rating` is read and sent by this name.", "`giphy_rating` is read and sent as `gif_rating_policy`."},
	{HomeViewRecent, "zulip_default_user_settings", "`web_home_view = \"recent\"` is sent as `recent_topics`.", "`web_home_view = \"recent_topics\"` is sent as `recent`."},
	{HomeViewRecent, "zulip_set_user_settings", "`web_home_view = \"recent\"` is sent as `recent_topics`.", "`web_home_view = \"recent_topics\"` is sent as `recent`."},
	{BotAPIKey, "zulip_bot_api_key", "The key is read from the list of bots.", "The key is read by a request of its own."},
	{StatusByBots, "zulip_user_status", "Only people's accounts can set the status of others.", "Bots with an administrator's role can, too."},
	{SlimBots, "zulip_bot", "Type, owner, name and address of a bot are read from the user object.", "The same: servers give them nowhere else."},
	{WorkplaceUsers, "zulip_organization", "The permission `workplace_users_group` does not exist.", "It is read and shown, and never written."},
	{ArchivedChannels, "zulip_channel_topics", "The topics of an archived channel cannot be read.", "The topics of an archived channel can be read."},
	{ArchivedChannels, "zulip_user_access", "Subscribers of archived channels are unknown: rights that depend on them are in `unknown_rights`.", "Archived channels are shown like others."},
	{ArchivedChannels, "zulip_channel_access", "Who is in an archived channel is not told: what depends on it is null.", "Archived channels are shown like others."},
	{DeletedUsers, "zulip_user", "A deleted account cannot be told from a deactivated one.", "A deleted account is never reactivated or adopted."},
	{UserGroupsByBots, "zulip_user_group_membership", "Only people's accounts can change who is in a group.", "Bots can, as far as the permissions let them."},
	{UserGroupsByBots, "zulip_user_group", "Only people's accounts can manage user groups.", "Bots can, as far as the permissions let them."},
	{NoLegacyPush, "zulip_organization", "`require_e2ee_push_notifications` hides the text of notifications that are not encrypted.", "It keeps them from being sent."},
}
