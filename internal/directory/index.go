package directory

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Nothing that is worked out can outlive what it was worked out from:
//
//   - A part of the organization, such as its user groups, is a list with the indexes of that one list. A part does not
//     change; a later read makes another part, with indexes of its own.
//   - What is worked out from several parts belongs to the one view that has these parts. A view is made by newView alone,
//     from facts; another view is made from a copy of the facts, and cannot take along what was worked out: lazy values
//     must not be copied, and go vet refuses to.

// lazy is a value that is worked out when somebody first asks, for all who ask.
type lazy[T any] struct {
	once  sync.Once
	value T
}

func (l *lazy[T]) get(workOut func() T) T {
	l.once.Do(func() { l.value = workOut() })
	return l.value
}

// facts are what has been read of the organization, part by part. A part that has not been read is empty.
type facts struct {
	realm         *zulip.Realm
	groups        *list[zulip.UserGroup]
	users         *users
	channels      *list[zulip.Channel]
	folders       *folders
	profileFields *list[zulip.ProfileField]
	linkifiers    *list[zulip.Linkifier]
	customEmoji   *list[zulip.CustomEmoji]
	bots          *list[zulip.Bot]
	statuses      map[int64]zulip.Status
	userDefaults  map[string]json.RawMessage
	playgrounds   []*zulip.Playground
	domains       []*zulip.Domain
	defaultGroups []*zulip.DefaultChannelGroup
	subscribers   map[int64][]int64
}

func noFacts() facts {
	return facts{
		groups: newGroups(nil), users: newUsers(nil), channels: newChannels(nil), folders: newFolders(nil), bots: newBots(nil),
		profileFields: newProfileFields(nil), linkifiers: newLinkifiers(nil), customEmoji: newCustomEmoji(nil),
	}
}

// newView returns the view of some facts. Nobody else makes one.
func newView(directory *Directory, facts facts) *View {
	return &View{directory: directory, facts: facts}
}

// with returns the view of other facts: change is given a copy of those of this view.
func (v *View) with(change func(*facts)) *View {
	facts := v.facts
	change(&facts)
	return newView(v.directory, facts)
}

// list is a part of the organization in the server's order, whose things are found by ID and by name, however many there
// are.
type list[T any] struct {
	all  []*T
	id   func(*T) int64
	name func(*T) string

	indexes lazy[indexes[T]]
}

type indexes[T any] struct {
	byID   map[int64]*T
	byName map[string]*T
}

// newList makes a list. Of several things of one name the first has it; what has given its name up is named "".
func newList[T any](all []*T, id func(*T) int64, name func(*T) string) *list[T] {
	return &list[T]{all: all, id: id, name: name}
}

func (l *list[T]) index() indexes[T] {
	return l.indexes.get(func() indexes[T] {
		found := indexes[T]{byID: make(map[int64]*T, len(l.all)), byName: make(map[string]*T, len(l.all))}
		for _, one := range l.all {
			found.byID[l.id(one)] = one
			if name := l.name(one); name != "" && found.byName[name] == nil {
				found.byName[name] = one
			}
		}
		return found
	})
}

func (l *list[T]) withID(id int64) (*T, bool) {
	one, ok := l.index().byID[id]
	return one, ok
}

func (l *list[T]) called(name string) (*T, bool) {
	one, ok := l.index().byName[name]
	return one, ok
}

// newGroups makes the part of the user groups, ordered by ID. The server tells cases apart.
func newGroups(groups []*zulip.UserGroup) *list[zulip.UserGroup] {
	id := func(g *zulip.UserGroup) int64 { return g.ID }
	ordered := slices.SortedFunc(slices.Values(groups), func(a, b *zulip.UserGroup) int { return cmp.Compare(a.ID, b.ID) })
	return newList(ordered, id, func(g *zulip.UserGroup) string { return g.Name })
}

// newChannels makes the part of the channels. Case does not matter in their names.
func newChannels(channels []*zulip.Channel) *list[zulip.Channel] {
	return newList(channels, func(c *zulip.Channel) int64 { return c.ID }, func(c *zulip.Channel) string { return fold(c.Name) })
}

func newLinkifiers(all []*zulip.Linkifier) *list[zulip.Linkifier] {
	return newList(all, func(l *zulip.Linkifier) int64 { return l.ID }, func(l *zulip.Linkifier) string { return l.Pattern })
}

func newProfileFields(all []*zulip.ProfileField) *list[zulip.ProfileField] {
	return newList(all, func(f *zulip.ProfileField) int64 { return f.ID }, func(f *zulip.ProfileField) string { return f.Name })
}

// newCustomEmoji makes the part of the custom emoji. Those that are deactivated have given their names up.
func newCustomEmoji(all []*zulip.CustomEmoji) *list[zulip.CustomEmoji] {
	return newList(all, func(e *zulip.CustomEmoji) int64 { return e.ID }, func(e *zulip.CustomEmoji) string {
		if e.Deactivated {
			return ""
		}
		return e.Name
	})
}

// newBots makes the part of the bots, which are found by the IDs of their accounts.
func newBots(all []*zulip.Bot) *list[zulip.Bot] {
	return newList(all, func(b *zulip.Bot) int64 { return b.UserID }, func(*zulip.Bot) string { return "" })
}

// users are the people and bots, the server's own included.
type users struct {
	list[zulip.User]

	byAddress lazy[map[string]*zulip.User]
	ordered   lazy[[]*zulip.User]
}

func newUsers(all []*zulip.User) *users {
	u := &users{}
	u.all, u.id, u.name = all, func(u *zulip.User) int64 { return u.ID }, func(*zulip.User) string { return "" }
	return u
}

// withAddress finds who has an address, whatever its case. Where two share one, as a hidden one may, the active one has it.
func (u *users) withAddress(address string) (*zulip.User, bool) {
	user, ok := u.byAddress.get(func() map[string]*zulip.User {
		found := make(map[string]*zulip.User, 2*len(u.all))
		for _, user := range u.all {
			for _, address := range []string{user.Email, user.Address()} {
				if known, ok := found[fold(address)]; !ok || !known.IsActive {
					found[fold(address)] = user
				}
			}
		}
		return found
	})[fold(address)]
	return user, ok
}

// withoutSystemBots is everybody but the server's own bots, ordered by ID.
func (u *users) withoutSystemBots() []*zulip.User {
	return u.ordered.get(func() []*zulip.User {
		kept := slices.DeleteFunc(slices.Clone(u.all), func(user *zulip.User) bool { return user.IsSystemBot })
		slices.SortFunc(kept, func(a, b *zulip.User) int { return cmp.Compare(a.ID, b.ID) })
		return kept
	})
}

// replacing returns the people with one of them changed.
func (u *users) replacing(changed *zulip.User) *users {
	all := slices.Clone(u.all)
	for i, user := range all {
		if user.ID == changed.ID {
			all[i] = changed
		}
	}
	return newUsers(all)
}

// renewed returns the people of a list that the server's own bots are not in: they stay.
func (u *users) renewed(all []*zulip.User) *users {
	for _, user := range u.all {
		if user.IsSystemBot {
			all = append(all, user)
		}
	}
	return newUsers(all)
}

// merge takes what a snapshot brings.
func (f *facts) merge(snapshot *zulip.Snapshot) {
	if snapshot.Realm != nil {
		f.realm = snapshot.Realm
	}
	if snapshot.UserGroups != nil {
		f.groups = newGroups(snapshot.UserGroups)
	}
	if snapshot.Users != nil {
		f.users = newUsers(snapshot.Users)
	}
	if snapshot.ProfileFields != nil {
		f.profileFields = newProfileFields(snapshot.ProfileFields)
	}
	if snapshot.Linkifiers != nil {
		f.linkifiers = newLinkifiers(snapshot.Linkifiers)
	}
	if snapshot.Statuses != nil {
		f.statuses = snapshot.Statuses
	}
	if snapshot.UserDefaults != nil {
		f.userDefaults = snapshot.UserDefaults
	}
	if snapshot.Bots != nil {
		f.bots = newBots(snapshot.Bots)
	}
	if snapshot.DefaultGroups != nil {
		f.defaultGroups = snapshot.DefaultGroups
	}
	if snapshot.CustomEmoji != nil {
		f.customEmoji = newCustomEmoji(snapshot.CustomEmoji)
	}
	if snapshot.Playgrounds != nil {
		f.playgrounds = snapshot.Playgrounds
	}
	if snapshot.Domains != nil {
		f.domains = snapshot.Domains
	}
	if snapshot.Subscribers != nil {
		f.subscribers = snapshot.Subscribers
	}
	if snapshot.Folders != nil {
		f.folders = newFolders(snapshot.Folders)
	}
	if snapshot.Channels != nil {
		defaults := make(map[int64]bool, len(snapshot.DefaultStreams))
		for _, id := range snapshot.DefaultStreams {
			defaults[id] = true
		}
		for _, channel := range snapshot.Channels {
			channel.IsDefault = defaults[channel.ID]
		}
		f.channels = newChannels(snapshot.Channels)
	}
}
