package directory

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// View is one state of the snapshot. It does not change; a later read makes another.
type View struct {
	directory *Directory

	realm          *zulip.Realm
	groups         map[int64]*zulip.UserGroup
	groupsByName   map[string]*zulip.UserGroup
	users          map[int64]*zulip.User
	userList       []*zulip.User // ordered by ID, without the server's own bots
	usersByAddress map[string]*zulip.User
	channels       []*zulip.Channel
	channelsByID   map[int64]*zulip.Channel
	channelsByName map[string]*zulip.Channel
	folders        folders
	profileFields  indexed[zulip.ProfileField]
	linkifiers     indexed[zulip.Linkifier]
	statuses       map[int64]zulip.Status
	userDefaults   map[string]json.RawMessage
	customEmoji    indexed[zulip.CustomEmoji]
	// access works out effective access when somebody first asks, for all who look at these people and groups.
	access        func() *permission.Access
	playgrounds   []*zulip.Playground
	domains       []*zulip.Domain
	bots          map[int64]*zulip.Bot
	defaultGroups []*zulip.DefaultChannelGroup
	subscribers   map[int64][]int64
}

var _ permission.Organization = (*View)(nil)

// User returns the person or bot with an ID, deactivated ones included.
func (v *View) User(id int64) (*zulip.User, bool) {
	user, ok := v.users[id]
	return user, ok
}

// UserByAddress returns the person or bot with an address, the real one or the API address, whatever its case.
func (v *View) UserByAddress(address string) (*zulip.User, bool) {
	user, ok := v.usersByAddress[fold(address)]
	return user, ok
}

// Users returns everybody, ordered by ID, without the server's own bots.
func (v *View) Users() []*zulip.User { return v.userList }

// Realm returns the organization's settings as far as the snapshot keeps them.
func (v *View) Realm() *zulip.Realm { return v.realm }

// Access returns who can really do what. It is worked out once for a snapshot, which has to be one of
// [Directory.Organization] or [Directory.Channels].
func (v *View) Access() *permission.Access { return v.access() }

// Channel returns a channel by ID, archived ones included.
func (v *View) Channel(id int64) (*zulip.Channel, bool) {
	channel, ok := v.channelsByID[id]
	return channel, ok
}

// ChannelByName returns the channel that holds a name, archived ones included: they keep theirs. Case does not matter
// (wire-1 §5.9).
func (v *View) ChannelByName(name string) (*zulip.Channel, bool) {
	channel, ok := v.channelsByName[fold(strings.TrimSpace(name))]
	return channel, ok
}

// PlannedChannel returns the channel to which this run gives a name, as it is held now: by its old name, or archived if it
// is to be taken back; nil if it is yet to be created.
func (v *View) PlannedChannel(name string) (channel *zulip.Channel, planned bool) {
	id, planned := v.directory.plannedChannel(strings.TrimSpace(name))
	return v.channelsByID[id], planned
}

// ChannelTaking returns the channel other than the given one that holds a name and keeps it in this run.
func (v *View) ChannelTaking(name string, except int64) (*zulip.Channel, bool) {
	channel, ok := v.ChannelByName(name)
	if !ok || channel.ID == except {
		return nil, false
	}
	if later, renamed := v.directory.plannedName(channel.ID); renamed && fold(later) != fold(name) {
		return nil, false
	}
	return channel, true
}

// ChannelList returns every channel in the server's order, by name.
func (v *View) ChannelList() []*zulip.Channel { return v.channels }

// ProfileFields returns the custom profile fields of the organization, in their order.
func (v *View) ProfileFields() []*zulip.ProfileField { return v.profileFields.list }

// UserDefaults returns the settings that new accounts start with, by their names on the wire.
func (v *View) UserDefaults() map[string]json.RawMessage { return v.userDefaults }

// CustomEmoji returns a custom emoji by ID, also one that is deactivated.
func (v *View) CustomEmoji(id int64) (*zulip.CustomEmoji, bool) {
	return v.customEmoji.withID(id)
}

// CustomEmojiByName returns the custom emoji that has a name now: deactivated ones have given theirs up.
func (v *View) CustomEmojiByName(name string) (*zulip.CustomEmoji, bool) {
	return v.customEmoji.called(name)
}

func indexEmoji(list []*zulip.CustomEmoji) indexed[zulip.CustomEmoji] {
	return index(list, func(emoji *zulip.CustomEmoji) int64 { return emoji.ID }, func(emoji *zulip.CustomEmoji) string {
		if emoji.Deactivated {
			return ""
		}
		return emoji.Name
	})
}

// DefaultChannelGroups returns the groups of channels that are offered to new people, by name.
func (v *View) DefaultChannelGroups() []*zulip.DefaultChannelGroup { return v.defaultGroups }

// IsPlanned reports whether this run creates what the principal names.
func (v *View) IsPlanned(principal permission.Principal) bool {
	return v.directory.isPlanned(principal)
}

// How many names a message suggests.
const suggestions = 2

// Nearest returns the principals of the same form whose text is nearest, if any is near enough to be meant.
func (v *View) Nearest(principal permission.Principal) []permission.Principal {
	switch principal.Kind {
	case permission.KindRole, permission.KindGroup:
		var names []string
		for _, group := range v.groups {
			if !group.Deactivated && group.IsSystemGroup == (principal.Kind == permission.KindRole) {
				names = append(names, strings.TrimPrefix(group.Name, "role:"))
			}
		}
		return asPrincipals(principal.Kind, nearest(principal.Name, names))
	case permission.KindUser:
		var addresses []string
		for _, user := range v.users {
			if user.IsActive && !user.IsSystemBot {
				addresses = append(addresses, user.Address())
			}
		}
		return asPrincipals(principal.Kind, nearest(principal.Name, addresses))
	}
	return nil
}

// NearestChannels returns the names of channels that may have been meant by one that does not exist.
func (v *View) NearestChannels(name string) []string {
	var names []string
	for _, channel := range v.channels {
		names = append(names, channel.Name)
	}
	return nearest(name, names)
}

// NearestAddresses returns the addresses that may have been meant by one that does not exist.
func (v *View) NearestAddresses(address string) []string {
	var texts []string
	for _, principal := range v.Nearest(permission.Principal{Kind: permission.KindUser, Name: address}) {
		texts = append(texts, principal.Name)
	}
	return texts
}

func asPrincipals(kind permission.Kind, names []string) []permission.Principal {
	var principals []permission.Principal
	for _, name := range names {
		principals = append(principals, permission.Principal{Kind: kind, Name: name})
	}
	return principals
}

// nearest picks the names closest to text: a third of its letters may differ, at least two. Of an address only what is
// before the domain counts, which most have in common.
func nearest(text string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	local, _, _ := strings.Cut(text, "@")
	limit := max(2, len(local)/3)
	var near []candidate
	for _, name := range names {
		if distance := levenshtein.ComputeDistance(fold(text), fold(name)); distance <= limit {
			near = append(near, candidate{name, distance})
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	var best []string
	for _, candidate := range near[:min(len(near), suggestions)] {
		best = append(best, candidate.name)
	}
	return best
}

// merge returns the view with what a snapshot brings.
func (v *View) merge(snapshot *zulip.Snapshot) *View {
	merged := *v
	if snapshot.Realm != nil {
		merged.realm = snapshot.Realm
	}
	if snapshot.UserGroups != nil {
		merged = *merged.withGroups(snapshot.UserGroups)
	}
	if snapshot.Users != nil {
		merged.indexUsers(snapshot.Users)
	}
	if snapshot.ProfileFields != nil {
		merged.profileFields = indexProfileFields(snapshot.ProfileFields)
	}
	if snapshot.Linkifiers != nil {
		merged.linkifiers = indexLinkifiers(snapshot.Linkifiers)
	}
	if snapshot.Statuses != nil {
		merged.statuses = snapshot.Statuses
	}
	if snapshot.UserDefaults != nil {
		merged.userDefaults = snapshot.UserDefaults
	}
	if snapshot.Bots != nil {
		merged.bots = make(map[int64]*zulip.Bot, len(snapshot.Bots))
		for _, bot := range snapshot.Bots {
			merged.bots[bot.UserID] = bot
		}
	}
	if snapshot.DefaultGroups != nil {
		merged.defaultGroups = snapshot.DefaultGroups
	}
	if snapshot.CustomEmoji != nil {
		merged.customEmoji = indexEmoji(snapshot.CustomEmoji)
	}
	if snapshot.Playgrounds != nil {
		merged.playgrounds = snapshot.Playgrounds
	}
	if snapshot.Domains != nil {
		merged.domains = snapshot.Domains
	}
	if snapshot.Subscribers != nil {
		merged.subscribers = snapshot.Subscribers
	}
	if snapshot.Folders != nil {
		merged.folders = indexFolders(snapshot.Folders)
	}
	if snapshot.Channels != nil {
		defaults := make(map[int64]bool, len(snapshot.DefaultStreams))
		for _, id := range snapshot.DefaultStreams {
			defaults[id] = true
		}
		for _, channel := range snapshot.Channels {
			channel.IsDefault = defaults[channel.ID]
		}
		merged = *merged.withChannels(snapshot.Channels)
	}
	merged.access = sync.OnceValue(merged.workOutAccess)
	return &merged
}

func (v *View) workOutAccess() *permission.Access {
	return permission.NewAccess(permission.Facts{
		Users: slices.Collect(maps.Values(v.users)), Groups: slices.Collect(maps.Values(v.groups)), Realm: v.realm,
	})
}

// indexUsers takes the people of a snapshot. Where two share an address, as a hidden one may, the active one has it.
func (v *View) indexUsers(users []*zulip.User) {
	v.users, v.usersByAddress = make(map[int64]*zulip.User, len(users)), make(map[string]*zulip.User, 2*len(users))
	v.userList = make([]*zulip.User, 0, len(users))
	for _, user := range users {
		v.users[user.ID] = user
		if !user.IsSystemBot {
			v.userList = append(v.userList, user)
		}
		for _, address := range []string{user.Email, user.Address()} {
			if known, ok := v.usersByAddress[fold(address)]; !ok || !known.IsActive {
				v.usersByAddress[fold(address)] = user
			}
		}
	}
	slices.SortFunc(v.userList, func(a, b *zulip.User) int { return cmp.Compare(a.ID, b.ID) })
}

// withChannels returns the view with other channels.
func (v *View) withChannels(channels []*zulip.Channel) *View {
	renewed := *v
	renewed.channels = channels
	renewed.channelsByID = make(map[int64]*zulip.Channel, len(channels))
	renewed.channelsByName = make(map[string]*zulip.Channel, len(channels))
	for _, channel := range channels {
		renewed.channelsByID[channel.ID] = channel
		renewed.channelsByName[fold(channel.Name)] = channel
	}
	return &renewed
}
