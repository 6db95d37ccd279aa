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
// (server-behavior §C7).
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
		return asPrincipals(principal.Kind, Nearest(principal.Name, v.groupNames(principal.Kind == permission.KindRole)))
	case permission.KindUser:
		return asPrincipals(principal.Kind, Nearest(principal.Name, v.Addresses()))
	}
	return nil
}

// groupNames returns the names of the groups that are not deactivated: of the roles without "role:", or of the others.
func (v *View) groupNames(roles bool) []string {
	var names []string
	for _, group := range v.facts.groups.all {
		if !group.Deactivated && group.IsSystemGroup == roles {
			names = append(names, strings.TrimPrefix(group.Name, "role:"))
		}
	}
	return names
}

// GroupNames returns the names of the user groups that are not deactivated, without the roles.
func (v *View) GroupNames() []string { return v.groupNames(false) }

// RoleNames returns the names of the roles, as in role:members. Nobody puts those without an account into a group.
func (v *View) RoleNames() []string {
	var names []string
	for _, name := range v.groupNames(true) {
		if name != "internet" {
			names = append(names, "role:"+name)
		}
	}
	return names
}

// ChannelNames returns the names of all channels, archived ones included.
func (v *View) ChannelNames() []string {
	return namesOf(v.facts.channels.all, func(channel *zulip.Channel) string { return channel.Name })
}

// Addresses returns the addresses of everybody who is active, without the server's own bots.
func (v *View) Addresses() []string {
	return namesOf(v.facts.users.all, func(user *zulip.User) string {
		if !user.IsActive || user.IsSystemBot {
			return ""
		}
		return user.Address()
	})
}

// namesOf returns the names of things; one whose name is empty is left out.
func namesOf[T any](all []*T, name func(*T) string) []string {
	names := make([]string, 0, len(all))
	for _, one := range all {
		if text := name(one); text != "" {
			names = append(names, text)
		}
	}
	return names
}

func asPrincipals(kind permission.Kind, names []string) []permission.Principal {
	var principals []permission.Principal
	for _, name := range names {
		principals = append(principals, permission.Principal{Kind: kind, Name: name})
	}
	return principals
}

// Nearest returns the names closest to a text: a third of its letters may differ, at least two. Of an address only what is
// before the domain counts, which most have in common.
func Nearest(text string, names []string) []string {
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
