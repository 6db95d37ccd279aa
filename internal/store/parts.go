package store

import (
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Part is what is read, and becomes out of date, as one.
type Part string

// The parts of the snapshot.
const (
	// Organization is the settings of the organization.
	Organization         Part = zulip.FetchRealm
	UserGroups           Part = zulip.FetchUserGroups
	Users                Part = zulip.FetchUsers
	Channels             Part = zulip.FetchChannels
	Folders              Part = zulip.FetchFolders
	DefaultChannelGroups Part = zulip.FetchDefaultGroups
	ProfileFields        Part = zulip.FetchProfileFields
	Linkifiers           Part = zulip.FetchLinkifiers
	CustomEmoji          Part = zulip.FetchCustomEmoji
	UserDefaults         Part = zulip.FetchUserDefaults
	Playgrounds          Part = zulip.FetchPlaygrounds
	Domains              Part = zulip.FetchDomains
	Statuses             Part = zulip.FetchStatuses
	Bots                 Part = zulip.FetchBots
	// Subscribers are those of every channel. For an account that is no administrator they are not in the snapshot: it is
	// not shown them all.
	Subscribers Part = zulip.FetchSubscribers
)

// What is not in the snapshot, and read when somebody first asks for it.
const (
	Drafts            Part = "drafts"
	ScheduledMessages Part = "scheduled messages"
	Invitations       Part = "invitations"
	Subscriptions     Part = "subscriptions" // of the account itself
)

// defaultChannels are which channels new accounts are in: a fact of the channels, which a snapshot has by itself.
const defaultChannels Part = zulip.FetchDefaultStreams

// access is what permissions need: the settings, the groups and the people.
var access = []Part{Organization, UserGroups, Users}

// needs are the parts that come with another, because it names what is in them. By default a channel names a person, its
// creator, so the people belong to it.
var needs = map[Part][]Part{
	Organization:         access,
	UserGroups:           access,
	Users:                {ProfileFields},
	Channels:             append([]Part{Folders}, access...),
	DefaultChannelGroups: append([]Part{Channels, Folders}, access...),
	CustomEmoji:          access,
	Statuses:             {Users, CustomEmoji, Organization},
	Bots:                 append([]Part{Channels, Folders}, access...),
	Subscribers:          append([]Part{Channels, Folders}, access...),
}

// withNeeds returns parts with those that they need.
func withNeeds(parts []Part) []Part {
	all := slices.Clone(parts)
	for _, part := range parts {
		all = append(all, needs[part]...)
	}
	return distinct(all)
}
