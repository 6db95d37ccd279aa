package permission

import "slices"

// State is a channel in an organization at one time.
type State struct {
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
func Compare(before, after State) []Effect {
	if unchanged(&before, &after) {
		return nil
	}
	var effects []Effect
	pairs := outcomePairs(&before, &after)
	var reading Effect
	for _, right := range RightsAndHistory {
		if !before.Channel.has(right) || !after.Channel.has(right) {
			continue
		}
		effect := compare(right, pairs)
		if right == CanRead {
			reading = effect
		}
		if right == CanReadHistory { // who goes on reading keeps what was sent while they read
			effect.Lose, effect.NobodyLeft = effect.Lose.Minus(effect.Lose.Minus(reading.Lose)), false
		}
		if right == CanReadHistory && effect.Unknown == reading.Unknown && effect.Gain.Equal(reading.Gain) && effect.Lose.Equal(reading.Lose) {
			continue // it goes with reading
		}
		if effect.Unknown || !effect.Gain.IsEmpty() || !effect.Lose.IsEmpty() {
			effects = append(effects, effect)
		}
	}
	return effects
}

// unchanged reports whether every value contains the same people and everything else is the
// same too. It is a shortcut: a change of one group does not affect most channels.
func unchanged(before, after *State) bool {
	b, a := &before.Channel, &after.Channel
	if b.Privacy != a.Privacy || b.PrivacyUnknown || a.PrivacyUnknown || b.IsArchived != a.IsArchived ||
		b.onlyEmptyTopic() != a.onlyEmptyTopic() || b.TopicsPolicyUnknown || a.TopicsPolicyUnknown ||
		len(b.Unknown) > 0 || len(a.Unknown) > 0 || len(b.Permissions) != len(a.Permissions) ||
		b.SubscribersKnown != a.SubscribersKnown || !slices.Equal(b.Subscribers, a.Subscribers) ||
		!before.Access.hasSamePeople(after.Access) {
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

func compare(right Right, pairs []outcomePair) Effect {
	effect := Effect{Right: right}
	for i, pair := range pairs {
		peopleBefore, peopleAfter := People{pair.before.access.roster, pair.before.can(right)}, People{pair.after.access.roster, pair.after.can(right)}
		gain, lose, nobodyLeft := peopleAfter.Minus(peopleBefore), peopleBefore.Minus(peopleAfter), peopleAfter.IsEmpty() && !peopleBefore.IsEmpty()
		if i > 0 && (!gain.Equal(effect.Gain) || !lose.Equal(effect.Lose)) {
			return Effect{Right: right, Unknown: true}
		}
		effect.Gain, effect.Lose = gain, lose
		effect.NobodyLeft = nobodyLeft && (i == 0 || effect.NobodyLeft)
	}
	return effect
}

// outcomePair is one combination of the possible outcomes before and after.
type outcomePair struct{ before, after *outcome }

// outcomePairs returns all combinations. Unknown subscribers are the same before and after, so
// they need not be known where they make no difference to the change.
func outcomePairs(before, after *State) []outcomePair {
	sameSubscribers := !before.Channel.SubscribersKnown && !after.Channel.SubscribersKnown
	var all []outcomePair
	for _, outcomeBefore := range before.Access.outcomes(&before.Channel) {
		for _, outcomeAfter := range after.Access.outcomes(&after.Channel) {
			if !sameSubscribers || outcomeBefore.assumeAllSubscribed == outcomeAfter.assumeAllSubscribed {
				all = append(all, outcomePair{outcomeBefore, outcomeAfter})
			}
		}
	}
	return all
}

// NeedsSubscribers reports whether the difference between two states depends on who is
// subscribed to the channel.
func NeedsSubscribers(before, after State) bool {
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
