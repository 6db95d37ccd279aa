// Package featurelevel has the table of everything that depends on the server's API feature level, a number that grows with
// every change of Zulip's API (https://zulip.com/api/changelog). The table is used in schema descriptions, plan-time
// checks, the page "Supported servers" and the sandbox's older behavior.
//
// A [Row] of [Table] says which feature level an attribute, a value of an attribute, or a whole resource, data source or
// action requires. A [Change] describes how the provider adapts at a level, so that the same configuration works below and
// above. [Since] and [Lookup] return the level of a row, [Needs] a sentence for a description.
package featurelevel

import (
	"fmt"
	"slices"
)

// The levels that the provider supports and is tested at.
const (
	// Oldest is the level of Zulip 10.0. The provider warns once about older servers. It still checks known levels there,
	// but they are not tested.
	Oldest = 371
	// Newest is the newest level with known changes. Raise it when a row of [Table] or a [Change] needs a newer one.
	Newest = 512
	// NewestRelease is the level of the newest release, Zulip 12.2.
	NewestRelease = 500
	// Recorded is the level of the server that the recordings come from. Newer behavior is known from its documentation.
	Recorded = 442
)

// Tested are the levels at which every resource is tested. A resource that Oldest does not have is tested at the oldest
// level that has it.
var Tested = []int{Oldest, Recorded, NewestRelease, Newest}

// Row is a requirement of a feature level.
type Row struct {
	// Of is the resource, data source or action, for example zulip_channel.
	Of string
	// Attribute is one of its attributes; empty for the whole resource.
	Attribute string
	// Value is a value of the attribute, as text; empty for every value.
	Value string
	// Level is the first level that has it.
	Level int
	// Below is what happens on servers below the level.
	Below Below
}

// Below is a sentence about the behavior on a server that is too old.
type Below string

const (
	// Refused is for attributes that can be set: setting one is an error during plan, and it reads as null.
	Refused Below = "Setting it is an error during plan."
	// Null is for read-only attributes.
	Null Below = "Reads as null."
)

// Lookup returns the level of an attribute, or of the resource if the attribute is empty; zero if every server has it.
func Lookup(of, attribute string) int { return LookupValue(of, attribute, "") }

// LookupValue returns the level of one value of an attribute; zero if it requires no other level than the attribute.
func LookupValue(of, attribute, value string) int {
	return levels[rowKey{of, attribute, value}]
}

// Since returns the level of an attribute, or of the resource if the attribute is empty. It panics if the table has no
// such row, which is a mistake in the code.
func Since(of, attribute string) int { return SinceValue(of, attribute, "") }

// SinceValue returns the level of one value of an attribute. It panics if the table has no such row.
func SinceValue(of, attribute, value string) int {
	level, ok := levels[rowKey{of, attribute, value}]
	if !ok {
		panic(fmt.Sprintf("the table of feature levels has no row for %s %s %s", of, attribute, value))
	}
	return level
}

// Needs returns the sentence for the description of an attribute, or of the resource if the attribute is empty. It panics
// if the table has no such row.
func Needs(of, attribute string) string { return Sentence(Since(of, attribute)) }

// Sentence returns the sentence about a required level.
func Sentence(level int) string { return "Requires " + Describe(level) + "." }

// Describe returns the first release that has a level, with the level: "Zulip 11.0 (feature level 404)".
func Describe(level int) string {
	return fmt.Sprintf("Zulip %s (feature level %d)", FirstRelease(level), level)
}

// Of returns the rows of a resource, data source or action, for example zulip_channel.
func Of(of string) []Row { return rowsByResource[of] }

// releases are the major releases and their levels, oldest first. Zulip 13 is not released yet; levels above those
// reserved for Zulip 12 belong to it.
var releases = []struct {
	level int
	name  string
}{{237, "8.0"}, {277, "9.0"}, {371, "10.0"}, {421, "11.0"}, {501, "12.0"}}

// FirstRelease returns the first major release that has a level; for levels older than Zulip 8.0 that is 8.0.
func FirstRelease(level int) string {
	for _, release := range releases {
		if level <= release.level {
			return release.name
		}
	}
	return "13.0"
}

type rowKey struct{ of, attribute, value string }

var levels, rowsByResource = func() (map[rowKey]int, map[string][]Row) {
	names, constructs := map[rowKey]int{}, map[string][]Row{}
	for _, row := range Table {
		key := rowKey{row.Of, row.Attribute, row.Value}
		if _, twice := names[key]; twice {
			panic(fmt.Sprintf("the table of feature levels has two rows for %v", key))
		}
		names[key] = row.Level
		constructs[row.Of] = append(constructs[row.Of], row)
	}
	return names, constructs
}()

// rowsOf sets the resource, data source or action of rows.
func rowsOf(of string, all ...[]Row) []Row {
	joined := slices.Concat(all...)
	for i := range joined {
		joined[i].Of = of
	}
	return joined
}

// attributesSince lists attributes that require a level.
func attributesSince(level int, attributes ...string) []Row {
	found := make([]Row, len(attributes))
	for i, attribute := range attributes {
		found[i] = Row{Attribute: attribute, Level: level, Below: Refused}
	}
	return found
}

// wholeResource is the requirement of a resource, data source or action itself.
func wholeResource(level int) []Row { return []Row{{Level: level, Below: Refused}} }

// attributeValue is the requirement of a value of an attribute.
func attributeValue(level int, attribute, text string) []Row {
	return []Row{{Attribute: attribute, Value: text, Level: level, Below: Refused}}
}

// readOnly lists read-only attributes that require a level.
func readOnly(level int, attributes ...string) []Row {
	found := attributesSince(level, attributes...)
	for i := range found {
		found[i].Below = Null
	}
	return found
}

// attributeWithFallback lists an attribute, or a value of one, that is not simply refused below its level.
func attributeWithFallback(level int, attribute, text string, below Below) []Row {
	return []Row{{Attribute: attribute, Value: text, Level: level, Below: below}}
}

// Levels at which the server's behavior changed and the provider adapts, so that the same configuration works below and
// above. Requirements are in [Table].
const (
	// ReactivateChannel is the first level at which an archived channel can be unarchived.
	ReactivateChannel = 388
	// DeactivatedGroupMembers is the first level at which the members of a deactivated user group can be changed.
	DeactivatedGroupMembers = 391
	// QuietSubscribing is the first level at which people can be subscribed without a message.
	QuietSubscribing = 397
	// StatusOfOthers is the first level at which administrators can set the status of others.
	StatusOfOthers = 407
	// CreateChannel is the first level with an endpoint that creates channels.
	CreateChannel = 417
	// TargetUsers is the first level at which administrators can set the personal settings of others.
	TargetUsers = 444
	// BotShortName is the first level at which the short name of a bot can be changed.
	BotShortName = 447
	// GIFRatingPolicy is the first level at which the setting giphy_rating is called gif_rating_policy.
	GIFRatingPolicy = 453
	// HomeViewRecent is the first level at which the home view recent_topics is called recent.
	HomeViewRecent = 454
	// DeactivationActions is the first level at which messages can be deleted when their author is deactivated.
	DeactivationActions = 459
	// BotAPIKey is the first level with an endpoint for the key of one bot.
	BotAPIKey = 463
	// StatusByBots is the first level at which bots with an administrator's role can set the status of people.
	StatusByBots = 473
	// SlimBots is the first level at which the list of bots omits the fields of the list of users.
	SlimBots = 474
	// WorkplaceUsers is the first level with the organization's permission workplace_users_group.
	WorkplaceUsers = 477
	// ArchivedChannels is the first level at which archived channels can be read like others.
	ArchivedChannels = 480
	// DeletedUsers is the first level at which a deactivated account reports whether it was deleted.
	DeletedUsers = 490
	// UserGroupsByBots is the first level at which bots can manage user groups.
	UserGroupsByBots = 496
	// NoLegacyPush is the first level at which unencrypted notifications are not sent where encryption is required.
	NoLegacyPush = 500
	// ChannelPushNotifications is the first level at which a channel reports whether new subscribers get push
	// notifications.
	ChannelPushNotifications = 507
	// MessageURL is the first level at which the answer to a sent message holds its URL.
	MessageURL = 508
	// HideLinkPreviews is the first level at which messages have a flag that hides the previews of their links.
	HideLinkPreviews = 510
)

// Change describes the provider's behavior below a level and from this level on.
type Change struct {
	Level int
	// Of is the affected resource, data source or action.
	Of string
	// Below and From describe servers of a lower level, and servers from the level on.
	Below, From string
}

// Changes lists the adaptations of the provider, by level.
var Changes = []Change{
	{CreateChannel, "zulip_channel", "A channel is created by subscribing to it.", "A separate request creates a channel."},
	{BotShortName, "zulip_bot", "A change of `short_name` forces replacement.", "`short_name` changes in place."},
	{GIFRatingPolicy, "zulip_organization", "`giphy_rating` is read and sent by this name.", "`giphy_rating` is read and sent as `gif_rating_policy`."},
	{HomeViewRecent, "zulip_default_user_settings", "`web_home_view = \"recent\"` is sent as `recent_topics`.", "`web_home_view = \"recent_topics\"` is sent as `recent`."},
	{HomeViewRecent, "zulip_set_user_settings", "`web_home_view = \"recent\"` is sent as `recent_topics`.", "`web_home_view = \"recent_topics\"` is sent as `recent`."},
	{BotAPIKey, "zulip_bot_api_key", "The key is read from the list of bots.", "A separate request reads the key."},
	{StatusByBots, "zulip_user_status", "Bots can't set the status of others.", "Bots with the role of administrator can set the status of others."},
	{SlimBots, "zulip_bot", "The list of bots also has the type, owner, name and email of a bot.", "Only the user object has the type, owner, name and email of a bot."},
	{WorkplaceUsers, "zulip_organization", "The permission `workplace_users_group` doesn't exist.", "The permission `workplace_users_group` is read, and never written."},
	{ArchivedChannels, "zulip_channel_topics", "The topics of an archived channel can't be read.", "The topics of an archived channel can be read."},
	{ArchivedChannels, "zulip_user_access", "The server doesn't show the subscribers of archived channels. Access that depends on them is in `unknown_permissions`.", "Archived channels are like others."},
	{ArchivedChannels, "zulip_channel_access", "The server doesn't show the subscribers of archived channels. Values that depend on them are null.", "Archived channels are like others."},
	{DeletedUsers, "zulip_user", "A deleted user looks like a deactivated one.", "A deleted user is never reactivated or adopted."},
	{UserGroupsByBots, "zulip_user_group_membership", "Bots can't add or remove members.", "Bots with the permission can add and remove members."},
	{UserGroupsByBots, "zulip_user_group", "Bots can't manage user groups.", "Bots with the permission can manage user groups."},
	{NoLegacyPush, "zulip_organization", "`require_e2ee_push_notifications` hides the text of unencrypted notifications.", "Unencrypted notifications aren't sent."},
}
