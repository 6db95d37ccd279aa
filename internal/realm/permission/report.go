package permission

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Report describes effects in a warning. It names at most [MaxNames] people and counts the rest. The most surprising
// changes come first: the provider's account, guests, bots, then people by role, the highest first.
type Report struct {
	// Self is the ID of the provider's account; zero if there is none.
	Self int64
}

// The limits beyond which a report counts instead of listing.
const (
	MaxNames    = 10
	maxChannels = 10
	maxActions  = 6
)

// ChannelChange is a channel before and after.
type ChannelChange struct {
	Name          string
	Before, After ChannelState
}

// Channel describes the effects of a change in one channel. It returns "" if no one gains or loses access and
// everything is known.
func (r Report) Channel(before, after ChannelState) string {
	return r.render([]section{{lines: linesOf(before, after)}})
}

// Channels describes the effects of a change in several channels, grouping channels with the
// same effects; "" if there are none.
func (r Report) Channels(changes []ChannelChange) string {
	var sections []section
	byContent := map[string]int{}
	for _, change := range changes {
		lines := linesOf(change.Before, change.After)
		if len(lines) == 0 {
			continue
		}
		var content strings.Builder
		for _, line := range lines {
			fmt.Fprintf(&content, "%d %q %v\n", line.kind, line.actions, line.people.set)
		}
		at, known := byContent[content.String()]
		if !known {
			at = len(sections)
			byContent[content.String()] = at
			sections = append(sections, section{lines: lines})
		}
		sections[at].channels = append(sections[at].channels, change.Name)
	}
	return r.render(sections)
}

// lineKind is the kind of effect that a line describes, the most surprising first.
type lineKind int

const (
	nobodyLeft lineKind = iota
	internetGains
	internetLoses
	internetUnknown
	lose
	gain
	notKnown
)

// line describes the change of some permissions of the same people.
type line struct {
	kind    lineKind
	actions []string // to follow "can"
	people  People
	named   []*zulip.User // the people who are named; the others are counted
}

// addToLines adds an effect on a permission, to the line about the same people if there is one.
func addToLines(lines []*line, kind lineKind, can string, people People) []*line {
	for _, line := range lines {
		if line.kind == kind && line.people.Equal(people) {
			line.actions = append(line.actions, can)
			return lines
		}
	}
	return append(lines, &line{kind: kind, actions: []string{can}, people: people})
}

// addEffect adds the description of an effect on a permission.
func addEffect(lines []*line, can string, effect Effect) []*line {
	if effect.Unknown {
		lines = addToLines(lines, notKnown, can, People{})
	}
	if effect.NobodyLeft {
		lines = addToLines(lines, nobodyLeft, can, People{})
	}
	if !effect.Lose.IsEmpty() {
		lines = addToLines(lines, lose, can, effect.Lose)
	}
	if !effect.Gain.IsEmpty() {
		lines = addToLines(lines, gain, can, effect.Gain)
	}
	return lines
}

// section describes the common effects on some channels.
type section struct {
	channels []string // empty for a single channel, which the reader knows
	lines    []*line
}

// linesOf describes the effects of a change, with one line for each set of people. People who are deactivated lose all
// permissions, so they are left out.
func linesOf(before, after ChannelState) []*line {
	gone := before.Access.Everybody().Minus(after.Access.Everybody())
	lines := internetLines(before, after)
	for _, effect := range Compare(before, after) {
		effect.Lose = effect.Lose.Minus(gone)
		effect.NobodyLeft = effect.NobodyLeft && effect.Permission != CanSubscribe // private channels exist for that
		lines = addEffect(lines, effect.Permission.InWords(), effect)
	}
	slices.SortStableFunc(lines, func(a, b *line) int { return cmp.Compare(a.kind, b.kind) })
	return lines
}

// internetLines describes the effects on people without an account.
func internetLines(before, after ChannelState) []*line {
	switch CompareInternet(before, after) {
	case InternetGains:
		return []*line{{kind: internetGains}}
	case InternetLoses:
		return []*line{{kind: internetLoses}}
	case InternetUnknown:
		if before.Channel.PrivacyUnknown || after.Channel.PrivacyUnknown {
			return nil // the line about the unknown permission to read covers it
		}
		return []*line{{kind: internetUnknown}}
	}
	return nil
}

func (r Report) render(sections []section) string {
	shown := sections[:min(len(sections), maxChannels)]
	r.chooseNames(shown)
	var paragraphs []string
	for _, section := range shown {
		var text []string
		if len(section.channels) > 0 {
			text = append(text, "In "+joinAtMost(section.channels, maxChannels)+":")
		}
		for _, line := range section.lines {
			text = append(text, r.sentence(line))
		}
		paragraphs = append(paragraphs, strings.Join(text, "\n"))
	}
	if rest := sections[len(shown):]; len(rest) > 0 {
		channels := 0
		for _, section := range rest {
			channels += len(section.channels)
		}
		paragraphs = append(paragraphs, fmt.Sprintf("And something else in %s.", pluralize(channels, "more channel")))
	}
	return strings.Join(paragraphs, "\n\n")
}

// chooseNames chooses the people to name, by SurpriseRank.
func (r Report) chooseNames(sections []section) {
	type candidate struct {
		line *line
		user *zulip.User
	}
	var candidates []candidate
	for _, section := range sections {
		for _, line := range section.lines {
			for user := range line.people.All() {
				candidates = append(candidates, candidate{line, user})
			}
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(r.SurpriseRank(a.user), r.SurpriseRank(b.user)) })
	for _, chosen := range candidates[:min(len(candidates), MaxNames)] {
		chosen.line.named = append(chosen.line.named, chosen.user)
	}
}

// SurpriseRank returns the rank of a user for naming people; the lowest is named first.
func (r Report) SurpriseRank(user *zulip.User) int {
	switch {
	case user.ID == r.Self:
		return 0
	case user.Role == zulip.RoleGuest:
		return 1
	case user.IsBot:
		return 2 + int(zulip.RoleGuest) + int(user.Role) // after all people
	}
	return 2 + int(user.Role)
}

func (r Report) sentence(line *line) string {
	var what string
	if len(line.actions) > 0 { // lines about the internet have none
		what = JoinActions(line.actions, maxActions)
	}
	switch line.kind {
	case nobodyLeft:
		return fmt.Sprintf("No one is left who can %s.", what)
	case internetGains:
		return "Anyone on the internet can read it, without an account."
	case internetLoses:
		return "It can no longer be read without an account."
	case internetUnknown:
		return "Not known yet: whether anyone on the internet can read it, without an account."
	case lose:
		return fmt.Sprintf("Can no longer %s: %s.", what, r.names(line))
	case gain:
		return fmt.Sprintf("Can now %s: %s.", what, r.names(line))
	default:
		return fmt.Sprintf("Not known yet: who gains and who loses that they can %s.", what)
	}
}

// names lists the people who are named, and counts the others.
func (r Report) names(line *line) string {
	var names []string
	for _, user := range line.named {
		names = append(names, r.name(user))
	}
	switch rest := line.people.Len() - len(names); {
	case rest > 0 && len(names) == 0:
		return pluralize(rest, "account")
	case rest > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), rest)
	}
	return joinAtMost(names, len(names))
}

func (r Report) name(user *zulip.User) string {
	about := user.Address()
	switch {
	case user.ID == r.Self:
		about += ", the provider's account"
	case user.Role == zulip.RoleGuest:
		about += ", a guest"
	case user.IsBot:
		about += ", a bot"
	}
	return fmt.Sprintf("%s (%s)", user.FullName, about)
}

// joinAtMost joins texts as in a sentence ("a, b and c"), and counts those beyond a limit.
func joinAtMost(texts []string, limit int) string {
	switch n := len(texts); {
	case n == 1:
		return texts[0]
	case n > limit:
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:limit], ", "), n-limit)
	default:
		return strings.Join(texts[:n-1], ", ") + " and " + texts[n-1]
	}
}

func pluralize(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// OrganizationChange is one permission of the organization before and after.
type OrganizationChange struct {
	Setting       Spec
	Before, After zulip.GroupSettingValue
	// Unknown is true if the people in After are not known yet.
	Unknown bool
}

// Organization describes the people who gain or lose an organization permission, and returns "" if there are none and
// everything is known. after is before or the result of [Access.With].
func (r Report) Organization(before, after *Access, changes []OrganizationChange) string {
	var lines []*line
	for _, change := range changes {
		effect := before.HeldBy(Organizations, change.Setting, change.Before).To(after.HeldBy(Organizations, change.Setting, change.After))
		if change.Unknown {
			effect = Effect{Unknown: true}
		}
		lines = addEffect(lines, change.Setting.Action, effect)
	}
	if len(lines) == 0 {
		return ""
	}
	slices.SortStableFunc(lines, func(a, b *line) int { return cmp.Compare(a.kind, b.kind) })
	return r.render([]section{{lines: lines}})
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
	return Held{roster: a.roster, isUnknown: isOpen, sets: []bitset{least.set, most.set}}
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
		people = People{people.roster, people.set.minus(a.webhooks)}
	}
	if realm := a.facts.Realm; realm != nil && realm.FeatureLevel != 0 && realm.FeatureLevel < setting.BotsSince {
		people = People{people.roster, people.set.minus(a.bots)}
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
