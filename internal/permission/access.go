package permission

import (
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Effective access says who can really do what, as the server decides. Its shape:
//
//   - [NewAccess] takes an organization once and works out who is in each of its groups,
//     however deep. Whoever asks shares that.
//   - [Access.In] is the people whom a value holds; [Access.Can] is the people who can
//     exercise a [Right] in a [Channel], which is more and less than the value says.
//   - [Access.With] is the same organization after a planned [Change] of groups and roles.
//   - [Compare] tells who gains and who loses which right between two [State]s, and which
//     rights cannot be told because something is not known yet. [Report] puts that in words.
//
// Nothing here asks a server. Who is subscribed to a channel is given with the channel;
// where it is not, the answer says so unless it does not matter.

// Access is the part of an organization that decides who may do what. It does not
// change; it can be shared and used by several at the same time.
type Access struct {
	facts  Facts
	roster *roster

	active         bitset
	guests         bitset
	administrators bitset     // and owners
	webhooks       bitset     // incoming webhook bots; nil if there are none
	bots           []ownedBot // active ones with an owner
	groups         map[int64]bitset
	// unknown are the groups of which it is not known who will be in them, and vague those in which that makes a
	// difference: they and most that hold one of them, however deep.
	unknown map[int64]uncertain
	vague   map[int64]span
	// spectatorsUnknown says that it is not known whether people without an account are let in.
	spectatorsUnknown bool
}

// uncertain says of a group that it is not known who will be in it: more than its direct members.
type uncertain struct {
	// among, if isBounded, are the IDs of those who may be.
	among     []int64
	isBounded bool
}

// span is how far a group that is vague may reach.
type span struct {
	most bitset
	// isOpen says that there may be people in it who have no account yet.
	isOpen bool
}

// ownedBot is a bot and its owner, by their places in the roster.
type ownedBot struct{ bot, owner int }

// Facts are what is known of an organization.
type Facts struct {
	Users  []*zulip.User
	Groups []*zulip.UserGroup
	// Realm holds the organization's own permissions and settings; nil counts as all of the permissions being nobody.
	Realm *zulip.Realm
}

// NewAccess works out who is in each group of an organization.
func NewAccess(facts Facts) *Access { return newAccess(facts, newRoster(facts.Users), nil) }

// newAccess takes the facts as they are now, which may have changed since the roster
// was made, and the groups whose members are not known. Everybody keeps the place, and is as the facts say.
func newAccess(facts Facts, everybody *roster, unknown map[int64]uncertain) *Access {
	size := len(everybody.users)
	everybody = &roster{users: slices.Clone(everybody.users), places: everybody.places}
	a := &Access{
		facts: facts, roster: everybody,
		active: newBitset(size), guests: newBitset(size), administrators: newBitset(size),
		groups: make(map[int64]bitset, len(facts.Groups)), unknown: unknown, vague: map[int64]span{},
	}
	for _, user := range facts.Users {
		place, ok := everybody.places[user.ID]
		if !ok {
			continue
		}
		everybody.users[place] = user
		if user.IsActive {
			a.enter(user, place)
		}
	}
	closure := closure{access: a, byID: make(map[int64]*zulip.UserGroup, len(facts.Groups)), begun: map[int64]bool{}}
	for _, group := range facts.Groups {
		closure.byID[group.ID] = group
	}
	for _, group := range facts.Groups {
		closure.visit(group)
	}
	return a
}

// enter takes in an active person or bot.
func (a *Access) enter(user *zulip.User, place int) {
	a.active.add(place)
	if user.Role == zulip.RoleGuest {
		a.guests.add(place)
	}
	if user.Role <= zulip.RoleAdministrator {
		a.administrators.add(place)
	}
	if user.IsBot && user.BotType != nil && zulip.BotType(*user.BotType) == zulip.BotIncomingWebhook {
		if a.webhooks == nil {
			a.webhooks = newBitset(len(a.roster.users))
		}
		a.webhooks.add(place)
	}
	if user.IsBot && user.BotOwnerID != nil {
		if owner, ok := a.roster.places[*user.BotOwnerID]; ok {
			a.bots = append(a.bots, ownedBot{place, owner})
		}
	}
}

// In returns the active people whom a value holds: named, or in one of its groups
// however deep. That they can make use of it is another question: [Access.Can].
func (a *Access) In(value zulip.GroupSettingValue) People {
	return People{a.roster, a.in(value)}
}

// Everybody returns all active people and bots.
func (a *Access) Everybody() People { return People{a.roster, a.active} }

// People returns the active ones among some IDs.
func (a *Access) People(ids []int64) People { return People{a.roster, a.listed(ids)} }

// Guests returns the active guests.
func (a *Access) Guests() People { return People{a.roster, a.guests} }

func (a *Access) in(value zulip.GroupSettingValue) bitset {
	if value.IsNamed() {
		return a.groups[value.Group]
	}
	set := a.listed(value.DirectMembers)
	for _, group := range value.DirectSubgroups {
		set.addAll(a.groups[group])
	}
	return set
}

func (a *Access) listed(ids []int64) bitset {
	set := newBitset(len(a.roster.users))
	for _, id := range ids {
		if place, ok := a.roster.places[id]; ok && a.active.has(place) {
			set.add(place)
		}
	}
	return set
}

// IsVague reports whether it is not known whom a value will hold, or not of all.
func (a *Access) IsVague(value zulip.GroupSettingValue) bool {
	most, isOpen := a.most(value)
	return isOpen || most != nil && !most.equal(a.in(value))
}

// most returns all whom a value may come to hold, and whether there may be others yet; nil if it holds no vague group.
func (a *Access) most(value zulip.GroupSettingValue) (most bitset, isOpen bool) {
	if len(a.vague) == 0 {
		return nil, false
	}
	groups := value.DirectSubgroups
	if value.IsNamed() {
		groups = []int64{value.Group}
	}
	for _, group := range groups {
		if span, ok := a.vague[group]; ok {
			most, isOpen = most.or(span.most), isOpen || span.isOpen
		}
	}
	if most == nil {
		return nil, isOpen
	}
	return most.or(a.in(value)), isOpen
}

// hasSamePeople reports whether nobody's role or activity, and no bot's owner, is another.
func (a *Access) hasSamePeople(other *Access) bool {
	return a == other || a.active.equal(other.active) && a.guests.equal(other.guests) &&
		a.administrators.equal(other.administrators) && slices.Equal(a.bots, other.bots)
}

// holdsSame reports whether a value holds for certain the people whom a value in another
// state of the organization holds.
func (a *Access) holdsSame(value zulip.GroupSettingValue, other *Access, later zulip.GroupSettingValue) bool {
	return !a.IsVague(value) && !other.IsVague(later) && a.in(value).equal(other.in(later))
}

// organizationValue is a permission of the organization; one that it does not have holds
// nobody.
func (a *Access) organizationValue(setting string) zulip.GroupSettingValue {
	if a.facts.Realm == nil {
		return zulip.GroupSettingValue{}
	}
	return a.facts.Realm.Permissions[setting]
}

// botsOf returns the active bots whose owner is in a set.
func (a *Access) botsOf(owners bitset) bitset {
	set := newBitset(len(a.roster.users))
	for _, owned := range a.bots {
		if owners.has(owned.owner) {
			set.add(owned.bot)
		}
	}
	return set
}

// closure works out the members of every group, each after those below it.
type closure struct {
	access *Access
	byID   map[int64]*zulip.UserGroup
	begun  map[int64]bool
}

// visit ends even if groups should hold one another, which no server lets them
// (server-behavior §G6).
func (c closure) visit(group *zulip.UserGroup) {
	if c.begun[group.ID] {
		return
	}
	c.begun[group.ID] = true
	set := c.access.listed(group.Members)
	var reach span
	if unknown, ok := c.access.unknown[group.ID]; ok && unknown.isBounded {
		reach.most = c.access.listed(unknown.among)
	} else if ok {
		reach = span{most: c.access.active, isOpen: true}
	}
	for _, id := range group.DirectSubgroupIDs {
		if below, ok := c.byID[id]; ok {
			c.visit(below)
			set.addAll(c.access.groups[id])
			if span, ok := c.access.vague[id]; ok {
				reach.most, reach.isOpen = reach.most.or(span.most), reach.isOpen || span.isOpen
			}
		}
	}
	c.access.groups[group.ID] = set
	if reach.isOpen || !reach.most.minus(set).isEmpty() {
		c.access.vague[group.ID] = reach
	}
}
