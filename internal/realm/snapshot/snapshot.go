// Package snapshot is an organization as it was read: immutable, with everything that is derived from it.
//
// A [Snapshot] is made by [New] from [Facts], and [Snapshot.With] makes the next one. Objects of one kind are an [Index]:
// a list in the server's order whose objects are found by ID and by name. Every index and [Snapshot.Access] are made when
// somebody first asks for them, from the snapshot's own facts: none can be older or newer than those.
//
// Names are resolved as they are when the run is over: what the run creates, renames or reactivates is [PlannedNames], which
// the run state tells. The indexes say what each object is called now.
package snapshot

import (
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Snapshot is one state of the organization. It is safe for concurrent use.
type Snapshot struct {
	facts   Facts
	planned PlannedNames

	// access is derived from several parts, and belongs to the one snapshot that has these parts.
	access   lazy[*permission.Access]
	archived lazy[map[string]*zulip.ChannelFolder]
}

// The kinds of objects that have planned names are called as their resources. The name of an account is its address.
const (
	channelKind = "zulip_channel"
	groupKind   = "zulip_user_group"
	folderKind  = "zulip_channel_folder"
	AccountKind = "zulip_user"
)

// PlannedNames is what a run plans for names and accounts, as far as it has planned.
type PlannedNames interface {
	// PlannedID returns the ID of the object of a kind to which the run gives a name; 0 for one that it creates.
	PlannedID(kind, name string) (id int64, planned bool)
	// PlannedName returns the name that the run leaves an object with.
	PlannedName(kind string, id int64) (name string, planned bool)
	// IsInvited reports whether an address that nobody has is known to be invited.
	IsInvited(address string) bool
}

var _ permission.Organization = (*Snapshot)(nil)

// New returns the snapshot of some facts, in a run that plans what planned tells.
func New(facts Facts, planned PlannedNames) *Snapshot {
	if facts.users == nil {
		facts.users = newUsers(nil)
	}
	return &Snapshot{facts: facts, planned: planned}
}

// With returns the next snapshot: change is given a copy of the facts.
func (s *Snapshot) With(change func(*Facts)) *Snapshot {
	facts := s.facts
	change(&facts)
	return New(facts, s.planned)
}

// Access returns who can really do what. It needs the people, the groups and the settings.
func (s *Snapshot) Access() *permission.Access {
	return s.access.get(func() *permission.Access {
		return permission.NewAccess(permission.AccessInput{Users: s.facts.users.list, Groups: s.facts.groups.List(), Realm: s.facts.realm})
	})
}

// PlannedChannel returns the channel to which this run gives a name, as it is now: with its old name, or archived if the run
// unarchives it; nil if the run creates it.
func (s *Snapshot) PlannedChannel(name string) (channel *zulip.Channel, planned bool) {
	id, planned := s.planned.PlannedID(channelKind, strings.TrimSpace(name))
	channel, _ = s.Channels().ByID(id)
	return channel, planned
}

// PlannedFolder returns the ID of the channel folder to which this run gives a name; 0 for one that it creates.
func (s *Snapshot) PlannedFolder(name string) (id int64, planned bool) {
	return s.planned.PlannedID(folderKind, name)
}

// ChannelTaking returns the channel other than the given one that has a name and keeps it in this run.
func (s *Snapshot) ChannelTaking(name string, except int64) (*zulip.Channel, bool) {
	channel, ok := s.Channels().ByName(name)
	if !ok || channel.ID == except {
		return nil, false
	}
	if later, renamed := s.planned.PlannedName(channelKind, channel.ID); renamed && fold(later) != fold(name) {
		return nil, false
	}
	return channel, true
}

// Subscribers returns who is in each channel, as far as the snapshot holds it; it never does for an archived channel.
func (s *Snapshot) Subscribers() map[int64][]int64 { return s.facts.subscribers }

// ArchivedFolder returns the archived channel folder of a name; of several, the one that was created last.
func (s *Snapshot) ArchivedFolder(name string) (*zulip.ChannelFolder, bool) {
	folder, ok := s.archived.get(func() map[string]*zulip.ChannelFolder {
		found := map[string]*zulip.ChannelFolder{}
		for _, folder := range s.Folders().List() {
			if last := found[fold(folder.Name)]; folder.IsArchived && (last == nil || last.ID < folder.ID) {
				found[fold(folder.Name)] = folder
			}
		}
		return found
	})[fold(name)]
	return folder, ok
}
