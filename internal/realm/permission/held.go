package permission

import "slices"

// Held is who has a right, as far as that is known. The zero value is nobody.
type Held struct {
	roster *roster
	// sets are who has it under each assumption about what is not known; one where all is known.
	sets []bitset
	// everybodyIn says of each set whether it takes everybody for subscribed; nil where the subscribers are known.
	everybodyIn []bool
	// isUnknown says that nothing is known.
	isUnknown bool
}

// HeldByUnknown is a right of which nothing is known.
func HeldByUnknown() Held { return Held{isUnknown: true} }

// Held is a right that just these people have.
func (p People) Held() Held { return Held{roster: p.roster, sets: []bitset{p.set}} }

// HeldByAtLeast is a right that these people have, and others may, who depend on who is in a channel.
func (a *Access) HeldByAtLeast(people People) Held {
	return Held{roster: a.roster, sets: []bitset{people.set, a.active}, everybodyIn: []bool{false, true}}
}

// Held returns who has which right in the channel. Rights for which the server has no permission are absent.
func (s ChannelRights) Held() map[Right]Held {
	outcomes, all := s.Access.outcomes(&s.Channel), map[Right]Held{}
	for _, right := range RightsAndHistory {
		if s.Channel.has(right) {
			all[right] = s.Access.held(right, outcomes)
		}
	}
	return all
}

func (a *Access) held(right Right, outcomes []*outcome) Held {
	held := Held{roster: a.roster}
	for _, outcome := range outcomes {
		held.sets = append(held.sets, outcome.can(right))
		if !outcome.channel.SubscribersKnown {
			held.everybodyIn = append(held.everybodyIn, outcome.assumeAllSubscribed)
		}
	}
	return held
}

// Certain returns those who have the right in any case. isAll is false if there may be others.
func (h Held) Certain() (who People, isAll bool) {
	if len(h.sets) == 0 {
		return People{roster: h.roster}, !h.isUnknown
	}
	all := h.sets[0]
	for _, set := range h.sets[1:] {
		all = all.and(set)
	}
	return People{h.roster, all}, !slices.ContainsFunc(h.sets, func(set bitset) bool { return !set.equal(all) })
}

// Possible returns those who have the right or may have it. isAll is false if there may be others.
func (h Held) Possible() (who People, isAll bool) {
	var all bitset
	for _, set := range h.sets {
		all = all.or(set)
	}
	return People{h.roster, all}, !h.isUnknown
}

// To returns the effect of a change from who has a right to who has it after. Subscribers who are not known are the same
// before and after, so they need not be known where they make no difference to the change.
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
func (h Held) all() []bitset {
	if len(h.sets) == 0 {
		return []bitset{nil}
	}
	return h.sets
}
