package permission

import "slices"

// ChannelRights is a channel in an organization at one time.
type ChannelRights struct {
	Access  *Access
	Channel Channel
}

// Effect is the effect of a change on one right in a channel.
type Effect struct {
	Right Right
	// Gain and Lose are the people who have the right only after the change, and only before it. Those in Gain have the
	// roles of after, those in Lose the roles of before.
	Gain, Lose People
	// NobodyLeft says that somebody had the right before, and nobody has it after.
	NobodyLeft bool
	// Unknown says that the effect depends on something unknown; the other fields are then empty.
	Unknown bool
}

// Compare returns the effect of a change on every right that it affects, in the order of
// [RightsAndHistory], including unknown effects. [CanReadHistory] is among them where it is not the same as that of [CanRead]. after.Access is before.Access, or the result of
// [Access.With]. Rights for which the server has no permission are left out.
func Compare(before, after ChannelRights) []Effect {
	if Same(before, after) {
		return nil
	}
	var effects []Effect
	was, is := before.Held(), after.Held()
	reading := was[CanRead].To(is[CanRead])
	for _, right := range RightsAndHistory {
		one, had := was[right]
		other, has := is[right]
		if !had || !has {
			continue
		}
		effect := one.To(other)
		if right == CanReadHistory {
			effect = effect.OfHistory(reading)
		}
		if effect.Right = right; effect.Differs() {
			effects = append(effects, effect)
		}
	}
	return effects
}

// Differs reports whether somebody gains or loses, or may.
func (e Effect) Differs() bool { return e.Unknown || !e.Gain.IsEmpty() || !e.Lose.IsEmpty() }

// OfHistory returns what is to be said of an effect on [CanReadHistory] beside that on [CanRead]: nothing where it is the same, and
// who goes on reading keeps what was sent while they read.
func (e Effect) OfHistory(reading Effect) Effect {
	e.Lose, e.NobodyLeft = e.Lose.And(reading.Lose), false
	if e.Unknown == reading.Unknown && e.Gain.Equal(reading.Gain) && e.Lose.Equal(reading.Lose) {
		return Effect{}
	}
	return e
}

// Same reports whether every value certainly contains the same people and everything else is the
// same too: a change of one group does not affect most channels.
func Same(before, after ChannelRights) bool {
	b, a := &before.Channel, &after.Channel
	if b.Privacy != a.Privacy || b.PrivacyUnknown || a.PrivacyUnknown || b.IsArchived != a.IsArchived ||
		b.onlyEmptyTopic() != a.onlyEmptyTopic() || b.TopicsPolicyUnknown || a.TopicsPolicyUnknown ||
		len(b.Unknown) > 0 || len(a.Unknown) > 0 || len(b.Permissions) != len(a.Permissions) ||
		b.SubscribersKnown != a.SubscribersKnown || !slices.Equal(b.Subscribers, a.Subscribers) ||
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
	for _, by := range organizationRights {
		if !before.Access.holdsSame(before.Access.organizationValue(by.setting), after.Access, after.Access.organizationValue(by.setting)) {
			return false
		}
	}
	return true
}

// NeedsSubscribers reports whether the difference between two states depends on who is
// subscribed to the channel.
func NeedsSubscribers(before, after ChannelRights) bool {
	before.Channel.Subscribers, before.Channel.SubscribersKnown = nil, true
	after.Channel.Subscribers, after.Channel.SubscribersKnown = nil, true
	known := map[Right]bool{}
	for _, effect := range Compare(before, after) {
		known[effect.Right] = effect.Unknown
	}
	before.Channel.SubscribersKnown, after.Channel.SubscribersKnown = false, false
	for _, effect := range Compare(before, after) {
		if effect.Unknown && !known[effect.Right] {
			return true
		}
	}
	return false
}
