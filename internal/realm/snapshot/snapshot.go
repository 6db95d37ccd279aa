// Package snapshot is an organization as it was read: immutable, with everything that is derived from it.
//
// [New] returns a [Snapshot] of [Facts], and [Snapshot.With] the next one. The objects of one kind are an [Index]: an
// ordered list whose objects are found by ID and by name. Every index and [Snapshot.Access] are derived
// on first use from the snapshot's own facts, so none can be older or newer than the facts.
//
// Names are resolved with their final meaning in this run: [runstate.State] has the names that the run creates, changes
// or reactivates. The indexes have the current names.
package snapshot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Snapshot is one state of the organization. It is safe for concurrent use.
type Snapshot struct {
	facts Facts
	run   *runstate.State
	// own are the people whom the state of one resource names, by email: see [Snapshot.Knowing].
	own map[string]int64

	*derived
}

// derived are the values that are derived from several parts. They belong to the one state that has these parts.
type derived struct {
	access   lazy[*permission.Access]
	archived lazy[map[string]*zulip.ChannelFolder]
}

var _ permission.Organization = (*Snapshot)(nil)

// New returns the snapshot of some facts, in a run.
func New(facts Facts, run *runstate.State) *Snapshot {
	if facts.users == nil {
		facts.users = newUsers(nil)
	}
	return &Snapshot{facts: facts, run: run, derived: new(derived)}
}

// Knowing returns the snapshot as one resource sees it, whose state names people by emails. Such a person is still found
// after they hide the email.
func (s *Snapshot) Knowing(own map[string]int64) *Snapshot {
	if s == nil || len(own) == 0 {
		return s
	}
	known := make(map[string]int64, len(own))
	for address, id := range own {
		known[fold(address)] = id
	}
	return &Snapshot{s.facts, s.run, known, s.derived}
}

// With returns the next snapshot. change gets a copy of the facts.
func (s *Snapshot) With(change func(*Facts)) *Snapshot {
	facts := s.facts
	change(&facts)
	next := New(facts, s.run)
	next.own = s.own
	return next
}

// Access returns the effective access of everyone. It needs the people, the groups and the settings.
func (s *Snapshot) Access() *permission.Access {
	return s.access.get(func() *permission.Access {
		return permission.NewAccess(permission.AccessInput{Users: s.facts.users.list, Groups: s.facts.groups.List(), Realm: s.facts.realm})
	})
}

// PlannedChannel returns the channel to which this run gives a name, in its current state: with its old name, or
// archived if the run unarchives it. It is nil if the run creates the channel.
func (s *Snapshot) PlannedChannel(name string) (channel *zulip.Channel, planned bool) {
	id, planned := s.run.PlannedID(runstate.Channel, zulip.Strip(name))
	channel, _ = s.Channels().ByID(id)
	return channel, planned
}

// PlannedFolder returns the ID of the channel folder to which this run gives a name; 0 for one that it creates.
func (s *Snapshot) PlannedFolder(name string) (id int64, planned bool) {
	return s.run.PlannedID(runstate.Folder, name)
}

// PlannedProfileField returns the custom profile field to which this run gives a name, with its old name. It is nil if
// the run creates the field.
func (s *Snapshot) PlannedProfileField(name string) (field *zulip.ProfileField, planned bool) {
	id, planned := s.run.PlannedID(runstate.Field, name)
	field, _ = s.ProfileFields().ByID(id)
	return field, planned
}

// ChannelTaking returns the channel other than the given one that has a name and keeps it in this run.
func (s *Snapshot) ChannelTaking(name string, except int64) (*zulip.Channel, bool) {
	channel, ok := s.Channels().ByName(name)
	if !ok || channel.ID == except {
		return nil, false
	}
	if later, renamed := s.run.PlannedName(runstate.Channel, channel.ID); renamed && fold(later) != fold(name) {
		return nil, false
	}
	return channel, true
}

// Subscribers returns the subscribers of each channel in the snapshot. It has none of archived channels.
func (s *Snapshot) Subscribers() map[int64][]int64 { return s.facts.subscribers }

// ArchivedFolder returns the archived channel folder with a name, and the last created one of several.
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

// lazy is a value that is derived on first use and shared.
type lazy[T any] struct {
	once  sync.Once
	value T
}

func (l *lazy[T]) get(derive func() T) T {
	l.once.Do(func() { l.value = derive() })
	return l.value
}

// Index has the objects of one kind in the server's order, and finds them by ID and by name in constant time. Objects
// that the server lists in no order (server-behavior §R26) are sorted by ID, or by name if they have no IDs. A nil index
// is empty.
type Index[T any] struct {
	list []*T
	id   func(*T) int64
	// name returns the name of an object; "" if it has none, or if its name is free.
	name func(*T) string
	// fold makes texts equal that are the same name for the server. If it is nil, the server distinguishes all.
	fold func(string) string

	maps lazy[indexMaps[T]]
}

type indexMaps[T any] struct {
	byID   map[int64]*T
	byName map[string]*T
	// byNormal finds objects whose name is not in the Unicode normal form NFC, in which Terraform passes every text.
	byNormal map[string]*T
}

// List returns all objects. The slice is shared: it must not be changed.
func (x *Index[T]) List() []*T {
	if x == nil {
		return nil
	}
	return x.list
}

// ByID finds an object by its ID.
func (x *Index[T]) ByID(id int64) (*T, bool) {
	if x == nil {
		return nil, false
	}
	object, ok := x.index().byID[id]
	return object, ok
}

// ByName returns the first object with a name, compared as the server compares names.
func (x *Index[T]) ByName(name string) (*T, bool) {
	if x == nil {
		return nil, false
	}
	found := x.index()
	object, ok := found.byName[x.folded(name)]
	if !ok {
		object, ok = found.byNormal[x.folded(name)]
	}
	return object, ok
}

// Name returns the name of an object of the index; "" if it has none, or if its name is free.
func (x *Index[T]) Name(object *T) string { return x.name(object) }

// Names returns the names of the objects.
func (x *Index[T]) Names() []string {
	names := make([]string, 0, len(x.List()))
	for _, object := range x.List() {
		if name := x.name(object); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func (x *Index[T]) index() indexMaps[T] {
	return x.maps.get(func() indexMaps[T] {
		found := indexMaps[T]{byID: make(map[int64]*T, len(x.list)), byName: make(map[string]*T, len(x.list)), byNormal: map[string]*T{}}
		for _, object := range x.list {
			found.byID[x.id(object)] = object
			name := x.name(object)
			if name == "" {
				continue
			}
			if name = x.folded(name); found.byName[name] == nil {
				found.byName[name] = object
			}
			if !norm.NFC.IsNormalString(name) {
				found.byNormal[norm.NFC.String(name)] = object
			}
		}
		return found
	})
}

func (x *Index[T]) folded(name string) string {
	if x.fold == nil {
		return name
	}
	return x.fold(name)
}

// fold returns emails and names of folders in the form that the server compares, ignoring case.
func fold(text string) string { return zulip.FoldName(text) }

// foldChannel returns the name of a channel in the form that the server compares, also ignoring spaces around it.
func foldChannel(text string) string { return fold(zulip.Strip(text)) }

func unnamed[T any](*T) string { return "" }

func userID(u *zulip.User) int64 { return u.ID }

// sortedBy returns a sorted copy of a list.
func sortedBy[T any, Key cmp.Ordered](list []*T, key func(*T) Key) []*T {
	return slices.SortedFunc(slices.Values(list), func(a, b *T) int { return cmp.Compare(key(a), key(b)) })
}

// users are the people and bots, including the server's own.
type users struct {
	Index[zulip.User]

	byAddress lazy[map[string]*zulip.User]
	ofRealm   lazy[[]*zulip.User] // without the server's own bots
}

func newUsers(all []*zulip.User) *users {
	u := &users{}
	u.list, u.id, u.name = sortedBy(all, userID), userID, unnamed[zulip.User]
	return u
}

// withAddress returns the user with an email, ignoring case. If two share one, as a hidden one may, it returns the
// active one.
func (u *users) withAddress(address string) (*zulip.User, bool) {
	user, ok := u.byAddress.get(func() map[string]*zulip.User {
		found := make(map[string]*zulip.User, 2*len(u.list))
		for _, user := range u.list {
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

// Accounts returns the people and bots, including the server's own, by their IDs. They have no names.
func (s *Snapshot) Accounts() *Index[zulip.User] { return &s.facts.users.Index }

// User returns the person or bot with an ID, also a deactivated one.
func (s *Snapshot) User(id int64) (*zulip.User, bool) { return s.facts.users.ByID(id) }

// UserWithAddress returns the person or bot with an email, real or for the API, ignoring case. If there is none, it
// returns the person whom the resource's own state names by the email, if that person has started to hide the email, or
// to show it.
func (s *Snapshot) UserWithAddress(address string) (*zulip.User, bool) {
	if user, ok := s.facts.users.withAddress(address); ok {
		return user, true
	}
	user, ok := s.User(s.own[fold(address)])
	if !ok || user.IsBot || !user.HidesEmail() && !strings.HasPrefix(fold(address), fmt.Sprintf("user%d@", user.ID)) {
		return nil, false
	}
	return user, true
}

// UserByAddress is UserWithAddress. If there is no such user, it returns the one that gets the email in this run and
// shows it.
func (s *Snapshot) UserByAddress(address string) (*zulip.User, bool) {
	if user, ok := s.UserWithAddress(address); ok {
		return user, true
	}
	id, _ := s.run.PlannedID(runstate.Account, address)
	user, ok := s.User(id)
	if !ok || !showsEmail(user) {
		return nil, false
	}
	return user, true
}

// showsEmail reports whether the server shows the email of an account. Bots hide none.
func showsEmail(user *zulip.User) bool { return user.IsBot || !user.HidesEmail() }

// HiddenUser returns the person who has an email in this run and hides it, as far as their resource is planned.
func (s *Snapshot) HiddenUser(address string) (*zulip.User, bool) {
	if _, ok := s.UserByAddress(address); ok {
		return nil, false
	}
	id, _ := s.run.PlannedID(runstate.Account, address)
	return s.User(id)
}

// Users returns all people and bots, ordered by ID, without the server's own bots. The slice is shared: it must not be
// changed.
func (s *Snapshot) Users() []*zulip.User {
	u := s.facts.users
	return u.ofRealm.get(func() []*zulip.User {
		return slices.DeleteFunc(slices.Clone(u.list), func(user *zulip.User) bool { return user.IsSystemBot })
	})
}

// Addresses returns the emails of all active accounts, without the server's own bots.
func (s *Snapshot) Addresses() []string {
	return s.addresses(func(user *zulip.User) bool { return !user.IsSystemBot })
}

// BotAddresses returns the emails of the active bots that the provider's account can manage.
func (s *Snapshot) BotAddresses() []string {
	return s.addresses(func(user *zulip.User) bool {
		_, managed := s.Bots().ByID(user.ID)
		return managed
	})
}

// addresses returns the emails of the active accounts of some kind.
func (s *Snapshot) addresses(isOfKind func(*zulip.User) bool) []string {
	var all []string
	for _, user := range s.facts.users.list {
		if user.IsActive && isOfKind(user) && user.Address() != "" {
			all = append(all, user.Address())
		}
	}
	return all
}

// HasOtherOwner reports whether someone other than a person is an active owner now. The server does not count bots
// (server-behavior §U7).
func (s *Snapshot) HasOtherOwner(except int64) bool {
	return slices.ContainsFunc(s.Users(), func(user *zulip.User) bool {
		return user.ID != except && isActiveOwner(user)
	})
}

// HasSeveralOwners reports whether more than one person is an active owner.
func (s *Snapshot) HasSeveralOwners() bool {
	owner := slices.IndexFunc(s.Users(), isActiveOwner)
	return owner >= 0 && s.HasOtherOwner(s.Users()[owner].ID)
}

func isActiveOwner(user *zulip.User) bool {
	return !user.IsBot && user.IsActive && user.Role == zulip.RoleOwner
}

// Status returns the status of a person, which is empty if they have set none.
func (s *Snapshot) Status(id int64) zulip.Status { return s.facts.statuses[id] }

// UserGroups returns every group, ordered by ID, including roles and deactivated groups, by their current names.
// Deactivated groups keep their names, and names are case-sensitive (server-behavior §G5).
func (s *Snapshot) UserGroups() *Index[zulip.UserGroup] { return s.facts.groups }

// UserGroup returns the group with an ID, or a role, with its final name in this run.
func (s *Snapshot) UserGroup(id int64) (*zulip.UserGroup, bool) {
	group, ok := s.UserGroups().ByID(id)
	if !ok {
		return nil, false
	}
	if name, planned := s.run.PlannedName(runstate.Group, id); planned && (name != group.Name || group.Deactivated) {
		later := *group
		later.Name = name
		later.Deactivated = false
		return &later, true
	}
	return group, true
}

// UserGroupByName returns the group whose final name in this run is the given one; names are case-sensitive
// (server-behavior §G5).
func (s *Snapshot) UserGroupByName(name string) (*zulip.UserGroup, bool) {
	if group, ok := s.UserGroups().ByName(name); ok {
		if later, _ := s.UserGroup(group.ID); later.Name == name || norm.NFC.String(later.Name) == name {
			return later, true
		}
	}
	id, _ := s.run.PlannedID(runstate.Group, name)
	return s.UserGroup(id)
}

// SubgroupIDs returns the IDs of the groups that are directly in a group now.
func (s *Snapshot) SubgroupIDs(id int64) []int64 {
	group, ok := s.UserGroups().ByID(id)
	if !ok {
		return nil
	}
	return group.DirectSubgroupIDs
}

// AllSubgroups returns the IDs of all direct and indirect subgroups of a group, ascending.
func (s *Snapshot) AllSubgroups(group *zulip.UserGroup) []int64 {
	seen := map[int64]bool{group.ID: true}
	var all []int64
	for queue := slices.Clone(group.DirectSubgroupIDs); len(queue) > 0; queue = queue[1:] {
		below, ok := s.UserGroups().ByID(queue[0])
		if !ok || seen[below.ID] {
			continue
		}
		seen[below.ID] = true
		all = append(all, below.ID)
		queue = append(queue, below.DirectSubgroupIDs...)
	}
	slices.Sort(all)
	return all
}

// AllMembers returns the IDs of all direct and indirect members of a group, ascending.
func (s *Snapshot) AllMembers(group *zulip.UserGroup) []int64 {
	all := slices.Clone(group.Members)
	for _, id := range s.AllSubgroups(group) {
		below, _ := s.UserGroups().ByID(id)
		all = append(all, below.Members...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// GroupNames returns the names of the user groups that are not deactivated, without the roles.
func (s *Snapshot) GroupNames() []string { return s.groupNames(false) }

// RoleNames returns the names of the roles, as in role:members. The role of people without an account is omitted,
// because no one can put them into a group.
func (s *Snapshot) RoleNames() []string {
	var names []string
	for _, name := range s.groupNames(true) {
		if name != "internet" {
			names = append(names, "role:"+name)
		}
	}
	return names
}

// groupNames returns the final names in this run of the active groups: of the roles without "role:", or of the others.
func (s *Snapshot) groupNames(roles bool) []string {
	var names []string
	for _, group := range s.UserGroups().List() {
		if later, _ := s.UserGroup(group.ID); !later.Deactivated && later.IsSystemGroup == roles {
			names = append(names, strings.TrimPrefix(later.Name, "role:"))
		}
	}
	return names
}

// IsPlanned reports whether this run creates or reactivates the principal's group or user.
func (s *Snapshot) IsPlanned(principal permission.Principal) (planned bool) {
	switch principal.Kind {
	case permission.KindUser:
		_, planned = s.run.PlannedID(runstate.Account, principal.Name)
		_, isHidden := s.HiddenUser(principal.Name)
		planned = planned && !isHidden
	case permission.KindUserID:
		_, planned = s.run.PlannedName(runstate.Account, principal.ID)
		planned = planned && !s.run.Knows(runstate.Inactive, runstate.ID(runstate.Account, principal.ID))
	case permission.KindGroup:
		var id int64
		id, planned = s.run.PlannedID(runstate.Group, principal.Name)
		planned = planned && id == 0
	}
	return planned
}

// IsReassigned reports whether this run takes a name from the object that has it now. The run gives another name to
// the object, or the name to another object.
func (s *Snapshot) IsReassigned(kind, name string, holder int64) bool {
	id, isPlanned := s.run.PlannedID(kind, name)
	if _, isRenamed := s.run.PlannedName(kind, holder); isRenamed {
		return !isPlanned || id != holder
	}
	return isPlanned && id != 0 && id != holder
}

// Reassigned returns the user or group that a principal names now, if this run takes the name from it.
func (s *Snapshot) Reassigned(principal permission.Principal) (id int64, ok bool) {
	kind := KindOf(principal)
	id = s.holder(kind, principal.Name)
	return id, id != 0 && s.IsReassigned(kind, principal.Name, id)
}

// NameByText registers that a configuration names an object of a kind by its current name, and reports whether this run ends
// the object.
func (s *Snapshot) NameByText(kind, name string) (isEnding bool) {
	id := s.holder(kind, name)
	if id == 0 {
		return false
	}
	s.run.Note(runstate.Named, runstate.ID(kind, id))
	return s.run.Knows(runstate.Ending, runstate.ID(kind, id))
}

// GetsName reports whether this run gives the principal's name to an existing user or group, which has another one now.
func (s *Snapshot) GetsName(principal permission.Principal) bool {
	kind := KindOf(principal)
	id, isPlanned := s.run.PlannedID(kind, principal.Name)
	isHidden := false // someone who hides an email may have had it for long
	if kind == runstate.Account {
		_, isHidden = s.HiddenUser(principal.Name)
	}
	return isPlanned && id != 0 && !isHidden && s.holder(kind, principal.Name) == 0
}

// KindOf returns the kind of the object that a principal names by a name; "" if it names none.
func KindOf(principal permission.Principal) string {
	switch principal.Kind {
	case permission.KindUser:
		return runstate.Account
	case permission.KindGroup:
		return runstate.Group
	}
	return ""
}

// holder returns the ID of the object of a kind whose current name is this one, and 0 if there is none.
func (s *Snapshot) holder(kind, name string) int64 {
	switch kind {
	case runstate.Account:
		user, ok := s.UserWithAddress(name)
		isOwn := ok && user.ID == s.own[fold(name)] && fold(name) != fold(user.Email) // the email for the API stays the same
		if ok && (showsEmail(user) || isOwn) {
			return user.ID
		}
	case runstate.Group:
		if group, ok := s.UserGroups().ByName(name); ok {
			return group.ID
		}
	case runstate.Channel:
		if channel, ok := s.Channels().ByName(name); ok {
			return channel.ID
		}
	case runstate.Folder:
		if folder, ok := s.Folders().ByName(name); ok {
			return folder.ID
		}
	case runstate.Field:
		if field, ok := s.ProfileFields().ByName(name); ok {
			return field.ID
		}
	}
	return 0
}

// IsInvited reports whether an email that no account has is known to be invited.
func (s *Snapshot) IsInvited(address string) bool {
	return s.run.Knows(runstate.Invited, runstate.Name(runstate.Account, address))
}

// Nearest returns the most similar principals of the same form, if any is similar enough. For the current name of a
// group that this run renames, it returns the group's final name.
func (s *Snapshot) Nearest(principal permission.Principal) []permission.Principal {
	var names []string
	switch principal.Kind {
	case permission.KindRole, permission.KindGroup:
		if group, ok := s.UserGroups().ByName(principal.Name); ok && principal.Kind == permission.KindGroup {
			if later, _ := s.UserGroup(group.ID); later.Name != group.Name {
				return []permission.Principal{{Kind: permission.KindGroup, Name: later.Name}}
			}
		}
		names = s.groupNames(principal.Kind == permission.KindRole)
	case permission.KindUser:
		names = s.Addresses()
	}
	var principals []permission.Principal
	for _, name := range suggest.Nearest(principal.Name, names) {
		principals = append(principals, permission.Principal{Kind: principal.Kind, Name: name})
	}
	return principals
}
