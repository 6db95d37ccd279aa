package permission

import "slices"

// State is a channel in an organization at one time.
type State struct {
	Access  *Access
	Channel Channel
}

// Effect is what a change does to one right in a channel.
type Effect struct {
	Right Right
	// Gain and Lose are the people who can do it after the change only, and before only: those who gain with the roles they
	// will have, those who lose with the roles they have.
	Gain, Lose People
	// NobodyLeft says that somebody could before, and nobody can after.
	NobodyLeft bool
	// Unknown says that it depends on something that is not known; the rest is then empty.
	Unknown bool
}

// Compare returns the effect on every right that a change makes a difference to, in the
// order of [Rights]; those that cannot be told are among them. after.Access is
// before.Access, or what [Access.With] made of it. Rights that the server has no
// permission for are left out.
func Compare(before, after State) []Effect {
	if unchanged(&before, &after) {
		return nil
	}
	var effects []Effect
	pairs := pairs(&before, &after)
	for _, right := range Rights {
		if !before.Channel.has(right) || !after.Channel.has(right) {
			continue
		}
		effect := compare(right, pairs)
		if effect.Unknown || !effect.Gain.IsEmpty() || !effect.Lose.IsEmpty() {
			effects = append(effects, effect)
		}
	}
	return effects
}

// unchanged reports whether every value holds whom it held, and all else is as it was: then
// there is nothing to work out. Of a change of one group this is so in most channels.
func unchanged(before, after *State) bool {
	was, is := &before.Channel, &after.Channel
	if was.Privacy != is.Privacy || was.PrivacyUnknown || is.PrivacyUnknown || was.IsArchived != is.IsArchived ||
		was.onlyEmptyTopic() != is.onlyEmptyTopic() || was.TopicsPolicyUnknown || is.TopicsPolicyUnknown ||
		len(was.Unknown) > 0 || len(is.Unknown) > 0 || len(was.Permissions) != len(is.Permissions) ||
		was.SubscribersKnown != is.SubscribersKnown || !slices.Equal(was.Subscribers, is.Subscribers) ||
		!before.Access.hasSamePeople(after.Access) {
		return false
	}
	for name, value := range was.Permissions {
		if later, ok := is.Permissions[name]; !ok || !before.Access.holdsSame(value, after.Access, later) {
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

func compare(right Right, pairs []pair) Effect {
	effect := Effect{Right: right}
	for i, pair := range pairs {
		was, is := People{pair.before.access.roster, pair.before.can(right)}, People{pair.after.access.roster, pair.after.can(right)}
		gain, lose, nobodyLeft := is.Minus(was), was.Minus(is), is.IsEmpty() && !was.IsEmpty()
		if i > 0 && (!gain.Equal(effect.Gain) || !lose.Equal(effect.Lose)) {
			return Effect{Right: right, Unknown: true}
		}
		effect.Gain, effect.Lose = gain, lose
		effect.NobodyLeft = nobodyLeft && (i == 0 || effect.NobodyLeft)
	}
	return effect
}

// pair is one way in which what is not known can turn out, before and after.
type pair struct{ before, after *outcome }

// pairs returns them all. Subscribers that are not known are the same before and after,
// so that where they make no difference to the change they need not be known.
func pairs(before, after *State) []pair {
	sameSubscribers := !before.Channel.SubscribersKnown && !after.Channel.SubscribersKnown
	var all []pair
	for _, was := range before.Access.outcomes(&before.Channel) {
		for _, is := range after.Access.outcomes(&after.Channel) {
			if !sameSubscribers || was.everybodyIn == is.everybodyIn {
				all = append(all, pair{was, is})
			}
		}
	}
	return all
}

// NeedsSubscribers reports whether the difference between two states cannot be told
// without knowing who is in the channel.
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
