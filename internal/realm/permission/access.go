package permission

import (
	"encoding/json"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Effective access is what people can do by the server's rules, whatever the permissions say:
//   - [NewAccess] computes the members of each group of an organization, direct or through subgroups. The result is
//     shared.
//   - [Access.In] returns the people in a value. [Access.Can] returns the people with effective access by a
//     [ChannelPermission] in a [Channel], which can be more or fewer than the people in its value.
//   - [Access.With] returns the same organization after a planned [Change].
//   - [Compare] returns the people who gain or lose access between two [ChannelState]s, and the effects that are unknown.
//     [Report] describes that in words.
//
// The subscribers of a channel are part of [Channel]. If they are not given, the results are unknown where they
// matter.

// Access is the part of an organization that decides who can do what. It is immutable and safe for concurrent use.
type Access struct {
	facts  AccessInput
	roster *roster

	active         sets.Bits
	guests         sets.Bits
	administrators sets.Bits  // and owners
	webhooks       sets.Bits  // incoming webhook bots; nil if there are none
	bots           sets.Bits  // nil if there are none
	ownedBots      []ownedBot // active ones with an owner
	anyonesBots    sets.Bits  // those with an unknown owner; nil if there are none
	groups         map[int64]sets.Bits
	// unknownMembers are the groups whose members are not completely known yet. uncertainGroups are these groups and
	// the groups that contain one of them, with the people who may be in them.
	unknownMembers  map[int64]unknownMembers
	uncertainGroups map[int64]upperBound
	// spectatorsUnknown is true if it is not known whether people without an account can read web-public channels.
	spectatorsUnknown bool
}

// unknownMembers means that a group will have more members than the known direct members.
type unknownMembers struct {
	// among are the IDs of possible members; nil if anyone may be one.
	among []int64
}

// upperBound has everyone who may be in a group with uncertain members.
type upperBound struct {
	most sets.Bits
	// isOpen is true if the group may also contain people without an account.
	isOpen bool
}

// ownedBot holds the places of a bot and its owner in the roster.
type ownedBot struct{ bot, owner int }

// AccessInput has the facts about an organization that [NewAccess] needs.
type AccessInput struct {
	Users  []*zulip.User
	Groups []*zulip.UserGroup
	// Realm has the organization's own permissions and settings. If it is nil, no one has these permissions.
	Realm *zulip.Realm
}

// NewAccess computes the members of each group of an organization.
func NewAccess(facts AccessInput) *Access { return newAccess(facts, newRoster(facts.Users), nil) }

// newAccess computes the groups for facts that may have changed since the roster was created. The users keep their places
// in it. unknown are the groups whose members are not completely known.
func newAccess(facts AccessInput, everybody *roster, unknown map[int64]unknownMembers) *Access {
	size := len(everybody.users)
	everybody = &roster{users: slices.Clone(everybody.users), places: everybody.places, guests: sets.NewBits(size)}
	a := &Access{
		facts: facts, roster: everybody,
		active: sets.NewBits(size), guests: sets.NewBits(size), administrators: sets.NewBits(size),
		groups: make(map[int64]sets.Bits, len(facts.Groups)), unknownMembers: unknown, uncertainGroups: map[int64]upperBound{},
	}
	for _, user := range facts.Users {
		place, ok := everybody.places[user.ID]
		if !ok {
			continue
		}
		everybody.users[place] = user
		if user.IsActive {
			a.addUser(user, place)
		}
	}
	for place, user := range everybody.users {
		if user.Role == zulip.RoleGuest {
			everybody.guests.Add(place)
		}
	}
	closure := closure{access: a, byID: make(map[int64]*zulip.UserGroup, len(facts.Groups)), visited: map[int64]bool{}}
	for _, group := range facts.Groups {
		closure.byID[group.ID] = group
	}
	for _, group := range facts.Groups {
		closure.visit(group)
	}
	return a
}

// addUser adds an active person or bot.
func (a *Access) addUser(user *zulip.User, place int) {
	a.active.Add(place)
	if user.Role == zulip.RoleGuest {
		a.guests.Add(place)
	}
	if user.Role <= zulip.RoleAdministrator {
		a.administrators.Add(place)
	}
	if user.IsBot {
		if a.bots == nil {
			a.bots = sets.NewBits(len(a.roster.users))
		}
		a.bots.Add(place)
	}
	if user.IsBot && user.BotType != nil && zulip.BotType(*user.BotType) == zulip.BotIncomingWebhook {
		if a.webhooks == nil {
			a.webhooks = sets.NewBits(len(a.roster.users))
		}
		a.webhooks.Add(place)
	}
	if user.IsBot && user.BotOwnerID != nil && *user.BotOwnerID == UnknownOwner {
		if a.anyonesBots == nil {
			a.anyonesBots = sets.NewBits(len(a.roster.users))
		}
		a.anyonesBots.Add(place)
	}
	if user.IsBot && user.BotOwnerID != nil {
		if owner, ok := a.roster.places[*user.BotOwnerID]; ok {
			a.ownedBots = append(a.ownedBots, ownedBot{place, owner})
		}
	}
}

// In returns the active people in a value, directly or through groups. [Access.Can] says whether they can also exercise
// the permission.
func (a *Access) In(value zulip.GroupSettingValue) People {
	return People{a.roster, a.members(value)}
}

// Everybody returns all active people and bots.
func (a *Access) Everybody() People { return People{a.roster, a.active} }

// People returns the active ones among some IDs.
func (a *Access) People(ids []int64) People { return People{a.roster, a.activeUsers(ids)} }

// Guests returns the active guests.
func (a *Access) Guests() People { return People{a.roster, a.guests} }

func (a *Access) members(value zulip.GroupSettingValue) sets.Bits {
	if value.IsNamed() {
		return a.groups[value.Group]
	}
	set := a.activeUsers(value.DirectMembers)
	for _, group := range value.DirectSubgroups {
		set.AddAll(a.groups[group])
	}
	return set
}

func (a *Access) activeUsers(ids []int64) sets.Bits {
	set := sets.NewBits(len(a.roster.users))
	for _, id := range ids {
		if place, ok := a.roster.places[id]; ok && a.active.Has(place) {
			set.Add(place)
		}
	}
	return set
}

// IsUncertain reports whether the people in a value are not completely known.
func (a *Access) IsUncertain(value zulip.GroupSettingValue) bool {
	most, isOpen := a.upperBound(value)
	return isOpen || most != nil && !most.Equal(a.members(value))
}

// Bounds returns the active people who are certainly in a value, and those who may be. isOpen reports whether the value
// may also contain people without an account.
func (a *Access) Bounds(value zulip.GroupSettingValue) (least, most People, isOpen bool) {
	least = a.In(value)
	possible, isOpen := a.upperBound(value)
	return least, People{a.roster, least.set.Or(possible)}, isOpen
}

// upperBound returns the people who may be in a value, and whether it may contain others without an account; nil if the
// value contains no uncertain group.
func (a *Access) upperBound(value zulip.GroupSettingValue) (most sets.Bits, isOpen bool) {
	if len(a.uncertainGroups) == 0 {
		return nil, false
	}
	groups := value.DirectSubgroups
	if value.IsNamed() {
		groups = []int64{value.Group}
	}
	for _, group := range groups {
		if span, ok := a.uncertainGroups[group]; ok {
			most, isOpen = most.Or(span.most), isOpen || span.isOpen
		}
	}
	if most == nil {
		return nil, isOpen
	}
	return most.Or(a.members(value)), isOpen
}

// hasSamePeople reports whether all users have the same role, activity and owner.
func (a *Access) hasSamePeople(other *Access) bool {
	return a == other || a.active.Equal(other.active) && a.guests.Equal(other.guests) &&
		a.administrators.Equal(other.administrators) && slices.Equal(a.ownedBots, other.ownedBots)
}

// holdsSame reports whether a value certainly contains the same people as another value in
// another state of the organization.
func (a *Access) holdsSame(value zulip.GroupSettingValue, other *Access, later zulip.GroupSettingValue) bool {
	return !a.IsUncertain(value) && !other.IsUncertain(later) && a.members(value).Equal(other.members(later))
}

// organizationValue returns a permission of the organization; the empty value if the server does
// not have it.
func (a *Access) organizationValue(setting string) zulip.GroupSettingValue {
	if a.facts.Realm == nil {
		return zulip.GroupSettingValue{}
	}
	return a.facts.Realm.Permissions[setting]
}

// botsOf returns the active bots whose owner is in a set.
func (a *Access) botsOf(owners sets.Bits) sets.Bits {
	set := sets.NewBits(len(a.roster.users))
	for _, owned := range a.ownedBots {
		if owners.Has(owned.owner) {
			set.Add(owned.bot)
		}
	}
	return set
}

// closure computes the members of every group, subgroups first.
type closure struct {
	access  *Access
	byID    map[int64]*zulip.UserGroup
	visited map[int64]bool
}

// visit terminates even if groups contain each other, although no server allows that
// (server-behavior §G6).
func (c closure) visit(group *zulip.UserGroup) {
	if c.visited[group.ID] {
		return
	}
	c.visited[group.ID] = true
	set := c.access.activeUsers(group.Members)
	var reach upperBound
	if unknown, ok := c.access.unknownMembers[group.ID]; ok && unknown.among != nil {
		reach.most = c.access.activeUsers(unknown.among)
	} else if ok {
		reach = upperBound{most: c.access.active, isOpen: true}
	}
	for _, id := range group.DirectSubgroupIDs {
		if below, ok := c.byID[id]; ok {
			c.visit(below)
			set.AddAll(c.access.groups[id])
			if span, ok := c.access.uncertainGroups[id]; ok {
				reach.most, reach.isOpen = reach.most.Or(span.most), reach.isOpen || span.isOpen
			}
		}
	}
	c.access.groups[group.ID] = set
	if reach.isOpen || !reach.most.Minus(set).IsEmpty() {
		c.access.uncertainGroups[group.ID] = reach
	}
}

// ByOrganization returns the permission of the organization that grants a permission in every channel that people have
// access to, and the people who get the permission; "" if there is none.
func (a *Access) ByOrganization(permission ChannelPermission) (setting string, people People) {
	o := outcome{access: a, channel: &Channel{}}
	return organizationPermissions[permission], People{a.roster, o.permittedByOrganization(permission)}
}

// Held is the set of people with effective access by a permission, as far as it is known. The zero value is empty.
type Held struct {
	roster *roster
	// sets has one set for each assumption about unknown facts, and a single one if everything is known.
	sets []sets.Bits
	// everybodyIn is true for each set that assumes everyone is subscribed; nil if the subscribers are known.
	everybodyIn []bool
	// isUnknown is true if others than those in the sets may have it.
	isUnknown bool
}

// HeldByUnknown returns a permission with unknown people.
func HeldByUnknown() Held { return Held{isUnknown: true} }

// Held returns a permission that exactly these people have.
func (p People) Held() Held { return Held{roster: p.roster, sets: []sets.Bits{p.set}} }

// HeldByAtLeast returns these people, and perhaps others, as a Held. The others depend on the subscribers of a channel.
func (a *Access) HeldByAtLeast(people People) Held {
	return Held{roster: a.roster, sets: []sets.Bits{people.set, a.active}, everybodyIn: []bool{false, true}}
}

// HeldBySubscribers returns the subscribers of the channel as people with a permission.
func (s ChannelState) HeldBySubscribers() Held {
	held := Held{roster: s.Access.roster}
	for _, outcome := range s.Access.outcomes(&s.Channel) {
		held.sets = append(held.sets, outcome.subscribers)
	}
	return held
}

// Held returns the people with each permission in the channel. Permissions that the server does not have are absent.
func (s ChannelState) Held() map[ChannelPermission]Held {
	outcomes, all := s.Access.outcomes(&s.Channel), map[ChannelPermission]Held{}
	for _, permission := range ChannelPermissionsAndHistory {
		if s.Channel.has(permission) {
			all[permission] = s.Access.held(permission, outcomes)
		}
	}
	return all
}

func (a *Access) held(permission ChannelPermission, outcomes []*outcome) Held {
	held := Held{roster: a.roster}
	for _, outcome := range outcomes {
		held.sets = append(held.sets, outcome.can(permission))
		if outcome.channel.isUncertain() {
			held.everybodyIn = append(held.everybodyIn, outcome.assumeAllSubscribed)
		}
	}
	return held
}

// Certain returns the people who certainly have effective access. isAll is false if there may be others.
func (h Held) Certain() (who People, isAll bool) {
	if len(h.sets) == 0 {
		return People{roster: h.roster}, !h.isUnknown
	}
	all := h.sets[0]
	for _, set := range h.sets[1:] {
		all = all.And(set)
	}
	return People{h.roster, all}, !h.isUnknown && !slices.ContainsFunc(h.sets, func(set sets.Bits) bool { return !set.Equal(all) })
}

// Possible returns the people who have or may have effective access. isAll is false if there may be others.
func (h Held) Possible() (who People, isAll bool) {
	var all sets.Bits
	for _, set := range h.sets {
		all = all.Or(set)
	}
	return People{h.roster, all}, !h.isUnknown
}

// To returns the effect of a change from h to after. Unknown subscribers are the same before and after, so they need
// not be known if they make no difference to the change.
func (h Held) To(after Held) Effect {
	if h.isUnknown || after.isUnknown {
		return Effect{Unknown: true}
	}
	effect, isFirst := Effect{}, true
	for i, was := range h.all() {
		for j, is := range after.all() {
			if h.everybodyIn != nil && after.everybodyIn != nil && h.everybodyIn[i] != after.everybodyIn[j] {
				continue
			}
			before, later := People{h.roster, was}, People{after.roster, is}
			one := Effect{Gain: later.Minus(before), Lose: before.Minus(later), NobodyLeft: later.IsEmpty() && !before.IsEmpty()}
			switch {
			case isFirst:
				effect, isFirst = one, false
			case !one.Gain.Equal(effect.Gain) || !one.Lose.Equal(effect.Lose):
				return Effect{Unknown: true}
			default:
				effect.NobodyLeft = effect.NobodyLeft && one.NobodyLeft
			}
		}
	}
	return effect
}

// all returns the sets, at least one.
func (h Held) all() []sets.Bits {
	if len(h.sets) == 0 {
		return []sets.Bits{nil}
	}
	return h.sets
}

// spectatorAccess is the setting of the organization that lets people without an account read web-public channels. The
// server can also disable such access for all organizations (https://zulip.com/api/register-queue).
const spectatorAccess = "enable_spectator_access"

// Internet is the effect of a change on people without an account, who are not part of [People].
type Internet int

// The effects of a change on people without an account.
const (
	InternetAsBefore Internet = iota
	InternetGains             // they can now read the channel
	InternetLoses             // they can no longer read it
	InternetUnknown           // it depends on something unknown
)

// CompareInternet returns the effect of a change on whether people without an account can read a channel.
func CompareInternet(before, after ChannelState) Internet {
	readBefore, beforeKnown := before.IsReadByInternet()
	readAfter, afterKnown := after.IsReadByInternet()
	switch {
	case !beforeKnown || !afterKnown:
		return InternetUnknown
	case readAfter && !readBefore:
		return InternetGains
	case readBefore && !readAfter:
		return InternetLoses
	}
	return InternetAsBefore
}

// IsReadByInternet reports whether anyone on the internet can read the channel without an account, and whether that is
// known.
func (s ChannelState) IsReadByInternet() (reads, known bool) {
	spectators, known := s.Access.allowsSpectators()
	switch {
	case known && !spectators:
		return false, true
	case s.Channel.PrivacyUnknown:
		return false, false
	case s.Channel.Privacy != zulip.PrivacyWebPublic:
		return false, true
	}
	return known, known
}

// allowsSpectators reports whether people without an account can read web-public channels, and whether that is known.
// They can if the server does not return the setting.
func (a *Access) allowsSpectators() (lets, known bool) {
	if a == nil || a.facts.Realm == nil {
		return true, true
	}
	if offered := a.facts.Realm.OffersWebPublicChannels; offered != nil && !*offered {
		return false, true
	}
	if a.spectatorsUnknown {
		return false, false
	}
	var enabled bool
	if json.Unmarshal(a.facts.Realm.Settings[spectatorAccess], &enabled) != nil {
		return true, true
	}
	return enabled, true
}
