package snapshot

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Facts are the parts of an organization that were read. A part that was not read is empty. Parts are immutable: a
// later read replaces a part together with its indexes. The zero value is empty.
type Facts struct {
	realm         *zulip.Realm
	groups        *Index[zulip.UserGroup]
	users         *users
	channels      *Index[zulip.Channel]
	folders       *Index[zulip.ChannelFolder]
	profileFields *Index[zulip.ProfileField]
	linkifiers    *Index[zulip.Linkifier]
	customEmoji   *Index[zulip.CustomEmoji]
	bots          *Index[zulip.Bot]
	playgrounds   *Index[zulip.Playground]
	domains       *Index[zulip.Domain]
	defaultGroups *Index[zulip.DefaultChannelGroup]
	statuses      map[int64]zulip.Status
	userDefaults  map[string]json.RawMessage
	subscribers   map[int64][]int64
}

// Realm returns the organization's settings; nil if they were not read.
func (s *Snapshot) Realm() *zulip.Realm { return s.facts.realm }

// UserDefaults returns the initial settings of new users, by their names in the API.
func (s *Snapshot) UserDefaults() map[string]json.RawMessage { return s.facts.userDefaults }

// Channels returns the channels, including archived ones, which keep their names. Names ignore case (server-behavior
// §C7).
func (s *Snapshot) Channels() *Index[zulip.Channel] { return s.facts.channels }

// Folders returns the channel folders in the organization's order, including archived ones, whose names are free
// (server-behavior §F2).
func (s *Snapshot) Folders() *Index[zulip.ChannelFolder] { return s.facts.folders }

// Linkifiers returns the linkifiers in the order in which they are tried. Their names are their patterns.
func (s *Snapshot) Linkifiers() *Index[zulip.Linkifier] { return s.facts.linkifiers }

// ProfileFields returns the custom profile fields in their order.
func (s *Snapshot) ProfileFields() *Index[zulip.ProfileField] { return s.facts.profileFields }

// CustomEmoji returns the organization's custom emoji, including deactivated ones, whose names are free.
func (s *Snapshot) CustomEmoji() *Index[zulip.CustomEmoji] { return s.facts.customEmoji }

// Playgrounds returns the code playgrounds. The name in the index is language and name together.
func (s *Snapshot) Playgrounds() *Index[zulip.Playground] { return s.facts.playgrounds }

// Domains returns the organization's domains. They have no IDs.
func (s *Snapshot) Domains() *Index[zulip.Domain] { return s.facts.domains }

// DefaultChannelGroups returns the groups of channels that are offered to new people.
func (s *Snapshot) DefaultChannelGroups() *Index[zulip.DefaultChannelGroup] {
	return s.facts.defaultGroups
}

// Bots returns the configuration of bots that the account can see, without their accounts. They have the IDs of the
// accounts and no names.
func (s *Snapshot) Bots() *Index[zulip.Bot] { return s.facts.bots }

// setUserGroups stores the user groups. Their names are case-sensitive.
func (f *Facts) setUserGroups(all []*zulip.UserGroup) {
	id := func(g *zulip.UserGroup) int64 { return g.ID }
	f.groups = &Index[zulip.UserGroup]{
		list: sortedBy(all, id), id: id, name: func(g *zulip.UserGroup) string { return g.Name },
	}
}

// setChannels stores the channels. Archived ones keep their names (server-behavior §C7). If defaults is nil, each
// channel has its own field for being a default channel.
func (f *Facts) setChannels(all []*zulip.Channel, defaults []int64) {
	if defaults != nil {
		isDefault := make(map[int64]bool, len(defaults))
		for _, id := range defaults {
			isDefault[id] = true
		}
		for _, channel := range all {
			channel.IsDefault = isDefault[channel.ID]
		}
	}
	f.channels = &Index[zulip.Channel]{
		list: all, fold: foldChannel,
		id: func(c *zulip.Channel) int64 { return c.ID }, name: func(c *zulip.Channel) string { return c.Name },
	}
}

// setFolders stores the channel folders. The names of archived ones are free (server-behavior §F2).
func (f *Facts) setFolders(all []*zulip.ChannelFolder) {
	f.folders = &Index[zulip.ChannelFolder]{
		list: slices.SortedStableFunc(slices.Values(all), func(a, b *zulip.ChannelFolder) int {
			return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID))
		}),
		fold: fold,
		id:   func(folder *zulip.ChannelFolder) int64 { return folder.ID },
		name: func(folder *zulip.ChannelFolder) string {
			if folder.IsArchived {
				return ""
			}
			return folder.Name
		},
	}
}

// setLinkifiers stores the linkifiers. Their names are their patterns, which are unique (server-behavior §L3).
func (f *Facts) setLinkifiers(all []*zulip.Linkifier) {
	f.linkifiers = &Index[zulip.Linkifier]{
		list: all, id: func(l *zulip.Linkifier) int64 { return l.ID }, name: func(l *zulip.Linkifier) string { return l.Pattern },
	}
}

// setProfileFields stores the custom profile fields. Their names are unique and case-sensitive (server-behavior §L5).
func (f *Facts) setProfileFields(all []*zulip.ProfileField) {
	f.profileFields = &Index[zulip.ProfileField]{
		list: all, id: func(p *zulip.ProfileField) int64 { return p.ID }, name: func(p *zulip.ProfileField) string { return p.Name },
	}
}

// setUsers stores all users. A list without the server's own bots, such as that of GET /users, leaves them unchanged.
func (f *Facts) setUsers(all []*zulip.User) {
	if !slices.ContainsFunc(all, func(user *zulip.User) bool { return user.IsSystemBot }) && f.users != nil {
		for _, user := range f.users.list {
			if user.IsSystemBot {
				all = append(all, user)
			}
		}
	}
	f.users = newUsers(all)
}

// PutUser replaces the account with the same ID, or adds the account.
func (f *Facts) PutUser(user *zulip.User) {
	var others []*zulip.User
	if f.users != nil {
		others = f.users.list
	}
	f.users = newUsers(append(slices.DeleteFunc(slices.Clone(others), func(other *zulip.User) bool { return other.ID == user.ID }), user))
}

// AddUser adds an account, unless there is one with its ID.
func (f *Facts) AddUser(user *zulip.User) {
	if _, ok := f.users.ByID(user.ID); !ok {
		f.PutUser(user)
	}
}

// PutBot replaces the defaults of a bot from the list of bots, or adds the bot. Its services stay.
func (f *Facts) PutBot(bot *zulip.Bot) {
	put := *bot
	others := slices.DeleteFunc(slices.Clone(f.bots.List()), func(other *zulip.Bot) bool {
		if other.UserID != bot.UserID {
			return false
		}
		put.Services = other.Services
		return true
	})
	f.setBots(append(others, &put))
}

// PutOwnBots is PutBot for bots by their emails.
func (f *Facts) PutOwnBots(own map[string]*zulip.Bot) {
	for address, bot := range own {
		if user, ok := f.users.withAddress(address); ok {
			put := *bot
			put.UserID = user.ID
			f.PutBot(&put)
		}
	}
}

// ChangeUser changes one account.
func (f *Facts) ChangeUser(id int64, change func(*zulip.User)) {
	if f.users == nil {
		return
	}
	all := slices.Clone(f.users.list)
	for i, user := range all {
		if user.ID == id {
			changed := *user
			change(&changed)
			all[i] = &changed
		}
	}
	f.users = newUsers(all)
}

func (f *Facts) setCustomEmoji(all []*zulip.CustomEmoji) {
	f.customEmoji = &Index[zulip.CustomEmoji]{
		list: all, id: func(e *zulip.CustomEmoji) int64 { return e.ID },
		name: func(e *zulip.CustomEmoji) string {
			if e.Deactivated {
				return "" // its name is free
			}
			return e.Name
		},
	}
}

func (f *Facts) setDefaultGroups(all []*zulip.DefaultChannelGroup) {
	f.defaultGroups = &Index[zulip.DefaultChannelGroup]{
		list: all, id: func(g *zulip.DefaultChannelGroup) int64 { return g.ID }, name: func(g *zulip.DefaultChannelGroup) string { return g.Name },
	}
}

// Take stores one part of an answer, by the part's name in the API. Default channels are a fact of the channels, even
// if they are read separately.
func (f *Facts) Take(read *zulip.RegisterAnswer, part string) {
	switch part {
	case zulip.FetchRealm:
		f.realm = read.Realm
	case zulip.FetchChannels:
		f.setChannels(read.Channels, read.DefaultStreams)
	case zulip.FetchFolders:
		f.setFolders(read.Folders)
	case zulip.FetchUserGroups:
		f.setUserGroups(read.UserGroups)
	case zulip.FetchUsers:
		f.setUsers(read.Users)
	case zulip.FetchLinkifiers:
		f.setLinkifiers(read.Linkifiers)
	case zulip.FetchProfileFields:
		f.setProfileFields(read.ProfileFields)
	case zulip.FetchCustomEmoji:
		f.setCustomEmoji(read.CustomEmoji)
	case zulip.FetchDefaultGroups:
		f.setDefaultGroups(read.DefaultGroups)
	case zulip.FetchBots:
		f.setBots(read.Bots)
	case zulip.FetchPlaygrounds: // the name is language and name together
		id := func(p *zulip.Playground) int64 { return p.ID }
		f.playgrounds = &Index[zulip.Playground]{list: sortedBy(read.Playgrounds, id), id: id, name: (*zulip.Playground).Key}
	case zulip.FetchDomains:
		f.setDomains(read.Domains)
	case zulip.FetchStatuses:
		f.statuses = read.Statuses
	case zulip.FetchUserDefaults:
		f.userDefaults = read.UserDefaults
	case zulip.FetchSubscribers:
		f.subscribers = read.Subscribers
	}
}

// setBots stores the bots, which are found by the IDs of their accounts.
func (f *Facts) setBots(all []*zulip.Bot) {
	f.bots = &Index[zulip.Bot]{list: all, id: func(b *zulip.Bot) int64 { return b.UserID }, name: unnamed[zulip.Bot]}
}

// setDomains stores the domains, which have no IDs.
func (f *Facts) setDomains(all []*zulip.Domain) {
	name := func(d *zulip.Domain) string { return d.Domain }
	f.domains = &Index[zulip.Domain]{
		list: sortedBy(all, name), fold: zulip.StoredDomain, id: func(*zulip.Domain) int64 { return 0 }, name: name,
	}
}
