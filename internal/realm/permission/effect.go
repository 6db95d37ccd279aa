package permission

import (
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// ChannelChange is a channel before and after.
type ChannelChange struct {
	Name          string
	Before, After ChannelState
}

// HeldBy is [Access.Admitted] as far as it is known.
func (a *Access) HeldBy(table Table, setting Spec, value zulip.GroupSettingValue) Held {
	held := a.HeldIn(value)
	for i, set := range held.sets {
		held.sets[i] = a.admitted(table, setting, People{a.roster, set}).set
	}
	return held
}

// HeldIn returns everyone in a value as people with a permission.
func (a *Access) HeldIn(value zulip.GroupSettingValue) Held {
	least, most, isOpen := a.Bounds(value)
	return Held{roster: a.roster, isUnknown: isOpen, sets: []sets.Bits{least.set, most.set}}
}

// Admitted returns the people who can exercise a permission of a user group or of the organization. These are the
// people in its value, with two restrictions. Guests are included only if the server allows guests for the setting and
// accepts their requests. Bots are included only if the server accepts their requests: incoming webhook bots can only
// send messages, and no bot can use some endpoints.
func (a *Access) Admitted(table Table, setting Spec, value zulip.GroupSettingValue) People {
	return a.admitted(table, setting, a.In(value))
}

// admitted returns those of some people who can exercise a permission that includes all of them.
func (a *Access) admitted(table Table, setting Spec, people People) People {
	if !setting.BySending {
		people = People{people.roster, people.set.Minus(a.webhooks)}
	}
	if realm := a.facts.Realm; realm != nil && realm.FeatureLevel != 0 && realm.FeatureLevel < setting.BotsSince {
		people = People{people.roster, people.set.Minus(a.bots)}
	}
	if setting.NeverGuests(table.Supported(setting, a.facts.Realm)) {
		return people.Minus(a.Guests())
	}
	return people
}

// ChannelState is a channel in an organization at one time.
type ChannelState struct {
	Access  *Access
	Channel Channel
}

// Effect is the effect of a change on one permission in a channel.
type Effect struct {
	Permission ChannelPermission
	// Gain are the people who have the permission only after the change, with their roles after it. Lose are the people who
	// have it only before, with their roles before.
	Gain, Lose People
	// NobodyLeft is true if someone could before and no one can after.
	NobodyLeft bool
	// Unknown is true if the effect depends on unknown facts; the other fields are then empty.
	Unknown bool
}

// Compare returns the effect of a change on every permission that it affects, in the order of [ChannelPermissionsAndHistory], including
// unknown effects. The effect on [CanReadHistory] is included if it differs from the effect on [CanRead]. after.Access
// is before.Access, or the result of [Access.With]. Permissions that the server does not have are left out.
func Compare(before, after ChannelState) []Effect {
	if Same(before, after) {
		return nil
	}
	var effects []Effect
	was, is := before.Held(), after.Held()
	reading := was[CanRead].To(is[CanRead])
	for _, permission := range ChannelPermissionsAndHistory {
		one, had := was[permission]
		other, has := is[permission]
		if !had || !has {
			continue
		}
		effect := one.To(other)
		if permission == CanReadHistory {
			effect = effect.OfHistory(reading)
		}
		if effect.Permission = permission; effect.Differs() {
			effects = append(effects, effect)
		}
	}
	return effects
}

// Differs reports whether someone gains or loses the permission, or may.
func (e Effect) Differs() bool { return e.Unknown || !e.Gain.IsEmpty() || !e.Lose.IsEmpty() }

// OfHistory returns an effect on [CanReadHistory], given the effect on [CanRead]; it is empty if both are equal. Only
// people who also lose CanRead lose the history, because the others keep the messages sent while they could read.
func (e Effect) OfHistory(reading Effect) Effect {
	e.Lose, e.NobodyLeft = e.Lose.And(reading.Lose), false
	if e.Unknown == reading.Unknown && e.Gain.Equal(reading.Gain) && e.Lose.Equal(reading.Lose) {
		return Effect{}
	}
	return e
}

// Same reports whether every value certainly contains the same people and everything that is not a value is the same.
// A change of one group does not affect most channels.
func Same(before, after ChannelState) bool {
	b, a := &before.Channel, &after.Channel
	if b.Privacy != a.Privacy || b.PrivacyUnknown || a.PrivacyUnknown || b.IsArchived != a.IsArchived ||
		b.onlyEmptyTopic() != a.onlyEmptyTopic() || b.TopicsPolicyUnknown || a.TopicsPolicyUnknown ||
		len(b.Unknown) > 0 || len(a.Unknown) > 0 || len(b.Permissions) != len(a.Permissions) ||
		b.SubscribersKnown != a.SubscribersKnown || !slices.Equal(b.Subscribers, a.Subscribers) || len(a.MaySubscribe) > 0 ||
		!before.Access.hasSamePeople(after.Access) {
		return false
	}
	if CompareInternet(before, after) != InternetAsBefore {
		return false
	}
	for name, value := range b.Permissions {
		if later, ok := a.Permissions[name]; !ok || !before.Access.holdsSame(value, after.Access, later) {
			return false
		}
	}
	for _, by := range organizationPermissions {
		if !before.Access.holdsSame(before.Access.organizationValue(by), after.Access, after.Access.organizationValue(by)) {
			return false
		}
	}
	return true
}

// NeedsSubscribers reports whether the difference between two states depends on who is
// subscribed to the channel.
func NeedsSubscribers(before, after ChannelState) bool {
	before.Channel.Subscribers, before.Channel.SubscribersKnown = nil, true
	after.Channel.Subscribers, after.Channel.SubscribersKnown = nil, true
	known := map[ChannelPermission]bool{}
	for _, effect := range Compare(before, after) {
		known[effect.Permission] = effect.Unknown
	}
	before.Channel.SubscribersKnown, after.Channel.SubscribersKnown = false, false
	for _, effect := range Compare(before, after) {
		if effect.Unknown && !known[effect.Permission] {
			return true
		}
	}
	return false
}
