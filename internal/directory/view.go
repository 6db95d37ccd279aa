package directory

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// View is one state of the snapshot. It does not change; a later read makes another.
type View struct {
	directory *Directory
	facts     facts

	// access is worked out from several parts.
	access lazy[*permission.Access]
}

var _ permission.Organization = (*View)(nil)

// User returns the person or bot with an ID, deactivated ones included.
func (v *View) User(id int64) (*zulip.User, bool) {
	return v.facts.users.withID(id)
}

// UserByAddress returns the person or bot with an address, the real one or the API address, whatever its case; where
// nobody has it, the one to whom this run gives it.
func (v *View) UserByAddress(address string) (*zulip.User, bool) {
	if user, ok := v.facts.users.withAddress(address); ok {
		return user, true
	}
	id, _ := v.directory.plannedAddress(address)
	return v.User(id)
}

// Users returns everybody, ordered by ID, without the server's own bots.
func (v *View) Users() []*zulip.User { return v.facts.users.withoutSystemBots() }

// Realm returns the organization's settings as far as the snapshot keeps them.
func (v *View) Realm() *zulip.Realm { return v.facts.realm }

// Access returns who can really do what. It is worked out once for a snapshot, which has to be one of
// [Directory.Organization] or [Directory.Channels].
func (v *View) Access() *permission.Access {
	return v.access.get(func() *permission.Access {
		return permission.NewAccess(permission.Facts{Users: v.facts.users.all, Groups: v.facts.groups.all, Realm: v.facts.realm})
	})
}

// Channel returns a channel by ID, archived ones included.
func (v *View) Channel(id int64) (*zulip.Channel, bool) {
	return v.facts.channels.withID(id)
}

// ChannelByName returns the channel that holds a name, archived ones included: they keep theirs. Case does not matter
// (wire-1 §5.9).
func (v *View) ChannelByName(name string) (*zulip.Channel, bool) {
	return v.facts.channels.called(fold(strings.TrimSpace(name)))
}

// PlannedChannel returns the channel to which this run gives a name, as it is held now: by its old name, or archived if it
// is to be taken back; nil if it is yet to be created.
func (v *View) PlannedChannel(name string) (channel *zulip.Channel, planned bool) {
	id, planned := v.directory.plannedChannel(strings.TrimSpace(name))
	channel, _ = v.Channel(id)
	return channel, planned
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
func (v *View) ChannelList() []*zulip.Channel { return v.facts.channels.all }

// ProfileFields returns the custom profile fields of the organization, in their order.
func (v *View) ProfileFields() []*zulip.ProfileField { return v.facts.profileFields.all }

// UserDefaults returns the settings that new accounts start with, by their names on the wire.
func (v *View) UserDefaults() map[string]json.RawMessage { return v.facts.userDefaults }

// CustomEmoji returns a custom emoji by ID, also one that is deactivated.
func (v *View) CustomEmoji(id int64) (*zulip.CustomEmoji, bool) {
	return v.facts.customEmoji.withID(id)
}

// CustomEmojiByName returns the custom emoji that has a name now: deactivated ones have given theirs up.
func (v *View) CustomEmojiByName(name string) (*zulip.CustomEmoji, bool) {
	return v.facts.customEmoji.called(name)
}

// DefaultChannelGroups returns the groups of channels that are offered to new people, by name.
func (v *View) DefaultChannelGroups() []*zulip.DefaultChannelGroup { return v.facts.defaultGroups }

// IsPlanned reports whether this run creates what the principal names.
func (v *View) IsPlanned(principal permission.Principal) bool {
	if principal.Kind == permission.KindUser {
		_, planned := v.directory.plannedAddress(principal.Name)
		return planned
	}
	return v.directory.isPlanned(principal)
}

// How many names a message suggests.
const suggestions = 2

// Nearest returns the principals of the same form whose text is nearest, if any is near enough to be meant.
func (v *View) Nearest(principal permission.Principal) []permission.Principal {
	switch principal.Kind {
	case permission.KindRole, permission.KindGroup:
		var names []string
		for _, group := range v.facts.groups.all {
			if !group.Deactivated && group.IsSystemGroup == (principal.Kind == permission.KindRole) {
				names = append(names, strings.TrimPrefix(group.Name, "role:"))
			}
		}
		return asPrincipals(principal.Kind, nearest(principal.Name, names))
	case permission.KindUser:
		var addresses []string
		for _, user := range v.facts.users.all {
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
	for _, channel := range v.facts.channels.all {
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
