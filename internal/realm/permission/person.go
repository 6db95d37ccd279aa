package permission

import (
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Person computes the access of one person or bot, which depends on no other account but a bot's owner. All channels of
// a large organization therefore take as long as a few channels for everyone. It is immutable and safe for concurrent
// use.
type Person struct {
	user  *zulip.User
	owner *zulip.User // active owner of a bot, or nil
	// access is the access in an organization with only these two people.
	access *Access
	// paths and ownerPaths are the paths from groups to the two, by ID of the group.
	paths, ownerPaths map[int64]string
}

// GrantedPermission is a permission of a user with the principals that grant it.
type GrantedPermission struct {
	Permission ChannelPermission
	// Through lists the reasons for the permission, each of which is sufficient: a principal of the permission of the same
	// name ("role:members"), with the groups that lead to the user ("group:leads > group:sre"), another permission with
	// such a principal ("can_administer_channel_group: user:ada@example.com"), or a fact such as "subscriber" or
	// "administrator of the organization". The permissions of a bot's owner begin with "owner of the bot: ".
	Through []string
}

// ChannelAccess is the access of a user to a channel.
type ChannelAccess struct {
	// Permissions are in the order of [ChannelPermissions].
	Permissions []GrantedPermission
	// Unknown are the permissions that the server does not have, or that depend on unknown facts.
	Unknown []ChannelPermission
	// Through lists the reasons for access to the channel's content; empty if the user has none.
	Through []string
}

// The facts in [GrantedPermission] that are not principals.
const (
	byRole         = "administrator of the organization"
	bySubscription = "subscriber"
	isPublic       = "public channel"
	isWebPublic    = "web-public channel"
	byOwner        = "owner of the bot: "
	byOrganization = "organization's "
)

// Person returns a person or bot of the organization. Deactivated users, and users that are not in the organization, have
// no effective access.
func (a *Access) Person(user *zulip.User) *Person {
	p := &Person{user: user}
	people := []*zulip.User{user}
	if place, ok := a.ownerPlace(user); ok && a.active.Has(place) {
		p.owner = a.roster.users[place]
		people = append(people, p.owner)
	}
	facts := a.facts
	facts.Users = people
	p.access = newAccess(facts, newRoster(people), a.unknownMembers)
	if user.IsActive {
		p.paths = groupPaths(user.ID, facts.Groups)
	}
	if p.owner != nil {
		p.ownerPaths = groupPaths(p.owner.ID, facts.Groups)
	}
	return p
}

// ownerPlace returns the place of the owner of a bot.
func (a *Access) ownerPlace(user *zulip.User) (place int, ok bool) {
	if !user.IsBot || user.BotOwnerID == nil {
		return 0, false
	}
	place, ok = a.roster.places[*user.BotOwnerID]
	return place, ok
}

// groupPaths returns the shortest path from each group of a user to the user, by ID of the group: "group:leads >
// group:sre". It ends at the first role, because the members of a role are obvious.
func groupPaths(user int64, groups []*zulip.UserGroup) map[int64]string {
	paths, parents := map[int64]string{}, map[int64][]*zulip.UserGroup{}
	var queue []*zulip.UserGroup
	for _, group := range groups {
		for _, id := range group.DirectSubgroupIDs {
			parents[id] = append(parents[id], group)
		}
		if slices.Contains(group.Members, user) {
			paths[group.ID] = principalOf(group)
			queue = append(queue, group)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, parent := range parents[queue[0].ID] {
			if _, seen := paths[parent.ID]; seen {
				continue
			}
			paths[parent.ID] = principalOf(parent)
			if !parent.IsSystemGroup {
				paths[parent.ID] += " > " + paths[queue[0].ID]
			}
			queue = append(queue, parent)
		}
	}
	return paths
}

// principalOf returns the principal of a group. The name of a role begins with "role:".
func principalOf(group *zulip.UserGroup) string {
	if group.IsSystemGroup {
		return group.Name
	}
	return Principal{Kind: KindGroup, Name: group.Name}.String()
}

// Groups returns the user's path to each of their groups by the ID of the group, such as "group:leads > group:sre"
// for the group leads whose subgroup sre has the user as a member. It omits deactivated groups.
func (p *Person) Groups() map[int64]string {
	groups := map[int64]string{}
	for _, group := range p.access.facts.Groups {
		if path, ok := p.paths[group.ID]; ok && !group.Deactivated {
			groups[group.ID] = path
		}
	}
	return groups
}

// Through returns how the user is in a value: by email, and through groups; empty if the user is not.
func (p *Person) Through(value zulip.GroupSettingValue) []string {
	return principalsOf(value, p.user, p.paths)
}

// OrganizationPermissions returns the names of the organization's permissions that the user can exercise, sorted.
func (p *Person) OrganizationPermissions() []string {
	var names []string
	for _, setting := range Organizations.Settings {
		if p.access.Admitted(Organizations, setting, p.access.organizationValue(setting.Name)).Has(p.user.ID) {
			names = append(names, setting.Name)
		}
	}
	slices.Sort(names)
	return names
}

// In returns what the user can do in a channel, by the rules of [Access.Can].
func (p *Person) In(channel Channel) ChannelAccess {
	place, ok := p.access.roster.places[p.user.ID]
	if !ok || !p.access.active.Has(place) {
		return ChannelAccess{}
	}
	channel.Subscribers = p.among(channel.Subscribers)
	outcomes := p.access.outcomes(&channel)
	explanation := explanation{Person: p, outcome: outcomes[0], place: place}
	var found ChannelAccess
	for _, permission := range ChannelPermissions {
		if !channel.has(permission) {
			found.Unknown = append(found.Unknown, permission)
			continue
		}
		can := 0
		for _, outcome := range outcomes {
			if outcome.can(permission).Has(place) {
				can++
			}
		}
		switch {
		case can == len(outcomes):
			found.Permissions = append(found.Permissions, GrantedPermission{permission, explanation.of(permission)})
		case can > 0:
			found.Unknown = append(found.Unknown, permission)
		}
	}
	found.Through = explanation.content()
	return found
}

// among returns the IDs that matter for the user, out of some IDs.
func (p *Person) among(ids []int64) []int64 {
	var few []int64
	for _, user := range p.access.roster.users {
		if slices.Contains(ids, user.ID) {
			few = append(few, user.ID)
		}
	}
	return few
}

// explanation finds the principals that grant a permission to the user in the outcome in which the fewest people have
// permissions. It follows the rules of [outcome.can] but repeats no restrictions, because the user is known to have the
// permission.
type explanation struct {
	*Person
	*outcome
	place int
}

// of returns the principals that grant a permission; see [GrantedPermission.Through].
func (e explanation) of(permission ChannelPermission) []string {
	if permission == CanRead {
		return e.readers()
	}
	named := e.principals(e.channel.Permissions[string(permission)])
	organization := e.organizational(permission)
	switch permission {
	case CanAdministerChannel:
		return slices.Concat(e.administrator(), named)
	case CanSubscribe:
		return e.joiners()
	case CanSendMessage:
		return slices.Concat(e.withOwner(permission), e.ownersSubscription())
	case CanCreateTopic:
		return e.withOwner(permission)
	case CanAddSubscribers, CanRemoveSubscribers, CanMoveMessagesOutOfChannel, CanMoveMessagesWithinChannel:
		return slices.Concat(named, organization, e.administrator(), e.channelAdministrator())
	case CanDeleteOwnMessage:
		return slices.Concat(named, organization, e.other(CanDeleteAnyMessage), e.organizational(CanDeleteAnyMessage))
	}
	return slices.Concat(named, organization)
}

// content returns the principals that give access to the content of the channel.
func (e explanation) content() []string {
	if e.privacy == zulip.PrivacyWebPublic {
		return append(e.subscriber(), isWebPublic)
	}
	return append(e.subscriber(), e.joiners()...)
}

func (e explanation) readers() []string {
	if e.privacy == zulip.PrivacyPrivateProtectedHistory {
		return e.subscriber()
	}
	return e.content()
}

func (e explanation) subscriber() []string {
	if e.subscribers.Has(e.place) {
		return []string{bySubscription}
	}
	return nil
}

func (e explanation) joiners() []string {
	switch {
	case e.isGuest():
		return nil
	case !e.privacy.IsPrivate():
		return []string{isPublic}
	}
	return slices.Concat(e.other(CanSubscribe), e.other(CanAddSubscribers))
}

func (e explanation) administrator() []string {
	if e.Person.access.administrators.Has(e.place) {
		return []string{byRole}
	}
	return nil
}

// channelAdministrator returns how the user may administer the channel, which guests never may.
func (e explanation) channelAdministrator() []string {
	if e.isGuest() {
		return nil
	}
	return e.other(CanAdministerChannel)
}

// other returns how the user is in a permission of the channel with another name than the permission.
func (e explanation) other(permission ChannelPermission) []string {
	return prefixed(string(permission)+": ", e.principals(e.channel.Permissions[string(permission)]))
}

// organizational returns how the user is in the permission of the organization that permits the same in every channel.
func (e explanation) organizational(permission ChannelPermission) []string {
	by, ok := organizationPermissions[permission]
	if !ok || !e.permittedByOrganization(permission).Has(e.place) {
		return nil
	}
	return prefixed(byOrganization+by+": ", e.principals(e.Person.access.organizationValue(by)))
}

// withOwner returns how the user is in a permission, and how the owner of a bot is.
func (e explanation) withOwner(permission ChannelPermission) []string {
	value := e.channel.Permissions[string(permission)]
	grants := principalsOf(value, e.user, e.paths)
	if e.owner == nil {
		return grants
	}
	return append(grants, prefixed(byOwner, principalsOf(value, e.owner, e.ownerPaths))...)
}

// ownersSubscription is the reason if a bot can post where only its owner has access.
func (e explanation) ownersSubscription() []string {
	if e.owner == nil || len(e.content()) > 0 && e.privacy != zulip.PrivacyPrivateProtectedHistory || e.subscribers.Has(e.place) {
		return nil
	}
	if place, ok := e.Person.access.roster.places[e.owner.ID]; ok && e.subscribers.Has(place) {
		return []string{byOwner + bySubscription}
	}
	return nil
}

func (e explanation) principals(value zulip.GroupSettingValue) []string {
	return e.Through(value)
}

func (e explanation) isGuest() bool { return e.user.Role == zulip.RoleGuest }

// principalsOf returns the user and those of the user's groups that a value names. paths are the user's paths to
// their groups.
func principalsOf(value zulip.GroupSettingValue, user *zulip.User, paths map[int64]string) []string {
	groups := value.DirectSubgroups
	if value.IsNamed() {
		groups = []int64{value.Group}
	}
	var all []string
	if slices.Contains(value.DirectMembers, user.ID) {
		all = append(all, Principal{Kind: KindUser, Name: user.Address()}.String())
	}
	for _, id := range groups {
		if path, ok := paths[id]; ok {
			all = append(all, path)
		}
	}
	return all
}

func prefixed(prefix string, texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = prefix + text
	}
	return all
}
