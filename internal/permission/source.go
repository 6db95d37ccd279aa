package permission

import (
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// SourceKind is a way in which somebody comes to have a right.
type SourceKind string

// The kinds of source.
const (
	// BySetting is to be in a permission of the channel, the group or the organization.
	BySetting SourceKind = "permission"
	// ByRole is to be an administrator or an owner of the organization.
	ByRole SourceKind = "role"
	// BySubscription is to be subscribed to the channel.
	BySubscription SourceKind = "subscriber"
	// ByPublicChannel is that the channel is public, ByWebPublicChannel that it is public on the web.
	ByPublicChannel    SourceKind = "public channel"
	ByWebPublicChannel SourceKind = "channel that is public on the web"
)

// Source is one way in which somebody comes to have a right.
type Source struct {
	Kind SourceKind
	// Setting is the name of the permission, OfOrganization says that it is one of the organization.
	Setting        string
	OfOrganization bool
	// Groups leads from the permission to the group that the person is directly in, by ID; empty if the permission names
	// the person.
	Groups []int64
	// Owner is set for a bot that has the right because its owner is in the permission.
	Owner *zulip.User
}

// Trace finds out through what one person or bot has rights. It is not safe for concurrent use.
type Trace struct {
	access *Access
	user   *zulip.User
	owner  *zulip.User // of a bot; nil if there is none who is active
	groups map[int64]*zulip.UserGroup
	paths  map[pathKey][]int64 // nil: not in the group
}

type pathKey struct{ user, group int64 }

// Trace begins to trace the rights of a user.
func (a *Access) Trace(user *zulip.User) *Trace {
	t := &Trace{access: a, user: user, groups: make(map[int64]*zulip.UserGroup, len(a.facts.Groups)), paths: map[pathKey][]int64{}}
	for _, group := range a.facts.Groups {
		t.groups[group.ID] = group
	}
	if user.IsBot && user.BotOwnerID != nil {
		if place, ok := a.roster.places[*user.BotOwnerID]; ok && a.active.has(place) {
			t.owner = a.roster.users[place]
		}
	}
	return t
}

// Value returns through what the user is in a value; ok is false if they are not.
func (t *Trace) Value(value zulip.GroupSettingValue) (groups []int64, ok bool) {
	return t.path(value, t.user.ID)
}

// path returns the shortest path of groups from a value to a user.
func (t *Trace) path(value zulip.GroupSettingValue, user int64) (best []int64, ok bool) {
	if slices.Contains(value.DirectMembers, user) {
		return nil, true
	}
	groups := value.DirectSubgroups
	if value.IsNamed() {
		groups = []int64{value.Group}
	}
	for _, group := range groups {
		if path := t.pathFrom(group, user); path != nil && (best == nil || len(path) < len(best)) {
			best = path
		}
	}
	return best, best != nil
}

func (t *Trace) pathFrom(from, user int64) []int64 {
	key := pathKey{user, from}
	if known, ok := t.paths[key]; ok {
		return known
	}
	seen := map[int64]bool{}
	for queue := [][]int64{{from}}; len(queue) > 0; queue = queue[1:] {
		path := queue[0]
		group, ok := t.groups[path[len(path)-1]]
		if !ok || seen[group.ID] {
			continue
		}
		seen[group.ID] = true
		if slices.Contains(group.Members, user) {
			t.paths[key] = path
			return path
		}
		for _, below := range group.DirectSubgroupIDs {
			queue = append(queue, append(slices.Clone(path), below))
		}
	}
	t.paths[key] = nil
	return nil
}

// sources of one right in one channel, as they are collected.
type sources struct {
	trace   *Trace
	channel *Channel
	found   []Source
}

// Channel returns through what the user has a right in a channel, if they have it: the grants, and not what each of them
// needs beside it. The rules are those of [Access.Can].
func (t *Trace) Channel(right Right, channel Channel) []Source {
	s := &sources{trace: t, channel: &channel}
	switch right {
	case CanRead:
		s.subscriber()
		if channel.Privacy == zulip.PrivacyWebPublic {
			s.found = append(s.found, Source{Kind: ByWebPublicChannel})
		}
		if channel.Privacy != zulip.PrivacyPrivateProtectedHistory {
			s.join()
		}
	case CanSubscribe:
		s.join()
	case CanAdministerChannel:
		s.administer()
	case CanSendMessage:
		s.setting(right, false)
		s.ownerSetting(right)
	case CanCreateTopic:
		s.setting(right, false)
		s.ownerSetting(right)
	case CanRemoveSubscribers:
		s.administer()
		s.setting(right, true)
	case CanAddSubscribers:
		s.administer()
		s.setting(right, true)
		s.organization(right)
	case CanMoveMessagesOutOfChannel, CanMoveMessagesWithinChannel:
		s.administer()
		s.setting(right, false)
		s.organization(right)
	case CanDeleteOwnMessage:
		s.setting(right, false)
		s.organization(right)
		s.setting(CanDeleteAnyMessage, false)
		s.organization(CanDeleteAnyMessage)
	default:
		s.setting(right, false)
		s.organization(right)
	}
	return s.found
}

func (s *sources) subscriber() {
	if slices.Contains(s.channel.Subscribers, s.trace.user.ID) {
		s.found = append(s.found, Source{Kind: BySubscription})
	}
}

func (s *sources) join() {
	if s.isGuest() {
		return
	}
	switch s.channel.Privacy {
	case zulip.PrivacyPublic, zulip.PrivacyWebPublic:
		s.found = append(s.found, Source{Kind: ByPublicChannel})
	default:
		s.setting(CanSubscribe, true)
		s.setting(CanAddSubscribers, true)
	}
}

func (s *sources) isGuest() bool { return s.trace.user.Role == zulip.RoleGuest }

func (s *sources) administer() {
	if s.trace.user.Role <= zulip.RoleAdministrator {
		s.found = append(s.found, Source{Kind: ByRole})
	}
	s.setting(CanAdministerChannel, true)
}

// setting adds the permission of the channel, if the user is in it.
func (s *sources) setting(right Right, notGuests bool) {
	if notGuests && s.isGuest() {
		return
	}
	if value, ok := s.channel.Permissions[string(right)]; ok {
		if path, in := s.trace.Value(value); in {
			s.found = append(s.found, Source{Kind: BySetting, Setting: string(right), Groups: path})
		}
	}
}

// ownerSetting adds the permission of the channel, if the owner of a bot is in it.
func (s *sources) ownerSetting(right Right) {
	value, ok := s.channel.Permissions[string(right)]
	if s.trace.owner == nil || !ok {
		return
	}
	if path, in := s.trace.path(value, s.trace.owner.ID); in {
		s.found = append(s.found, Source{Kind: BySetting, Setting: string(right), Groups: path, Owner: s.trace.owner})
	}
}

// organization adds the permission of the organization that grants the right in every channel, if it does.
func (s *sources) organization(right Right) {
	setting, admitted := s.trace.access.ByOrganization(right)
	if !admitted.Has(s.trace.user.ID) {
		return
	}
	path, _ := s.trace.Value(s.trace.access.organizationValue(setting))
	s.found = append(s.found, Source{Kind: BySetting, Setting: setting, OfOrganization: true, Groups: path})
}

// ByOrganization returns the permission of the organization that grants a right in every channel to those who have access
// to it, and the people whom it grants it; "" if there is none.
func (a *Access) ByOrganization(right Right) (setting string, people People) {
	o := outcome{access: a, channel: &Channel{}}
	return organizationRights[right].setting, People{a.roster, o.permittedByOrganization(right)}
}
