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

// neededBeside returns what parts need that is not among them. Channels that are read again after a write are looked at by
// who has read what they need before.
func neededBeside(parts []Part) []Part {
	var all []Part
	for _, part := range parts {
		if part != Channels {
			all = append(all, needs[part]...)
		}
	}
	return slices.DeleteFunc(distinct(all), func(part Part) bool { return slices.Contains(parts, part) })
}

// smallParts do not grow with the organization: 18 kB of settings, and lists that people keep by hand, in all about 50 kB.
// They come along with whatever is read first: a later read costs two requests and their way there and back, some 100 ms.
var smallParts = []Part{
	Organization, DefaultChannelGroups, Folders, ProfileFields, Linkifiers, CustomEmoji, UserDefaults, Playgrounds, Domains,
}

// loneParts depend on nothing, and nothing depends on them. A configuration may well consist of such things only, and then
// the people and the channels are not read. But where as many ask for lone parts as the CLI has workers, others may stand
// behind them whose turn it is not.
var loneParts = []Part{Linkifiers, UserDefaults, Playgrounds, Domains}

func areLone(parts []Part) bool {
	return !slices.ContainsFunc(parts, func(part Part) bool { return !slices.Contains(loneParts, part) })
}

// companions come along with everything else. Folders and groups are there for channels, channels name people, and people
// have statuses: in a configuration one leads to the other, and to be read in its turn each would take requests of its
// own. With 5,000 people and as many channels they are 6 MB, a second of the server's time; no other parts are so large
// but the subscribers, and the bots hold keys: those two are read for who asks, and for nobody else.
var companions = []Part{UserGroups, Users, Channels, Statuses}

// company returns the parts that come along with others. What has been read before comes along no more: after a write it
// may be out of date, and is read again by who needs it. The caller holds the lock.
func (s *Store) company(parts []Part, askers int) []Part {
	along := slices.Clone(smallParts)
	if askers >= workers || !areLone(parts) {
		along = append(along, companions...)
	}
	return slices.DeleteFunc(along, func(part Part) bool {
		of := s.state(part)
		return of.have || of.invalidated > 0 || of.read > 0 || of.reading != nil
	})
}
