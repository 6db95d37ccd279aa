package permission

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Report puts effects into words, for a warning that is read. It names at most
// [MaxNames] people and counts the rest. Named first is who is surprised most: the
// account the provider uses, guests, bots, then people by role, the highest first.
type Report struct {
	// Self is the ID of the account the provider uses; zero if there is none.
	Self int64
}

// How much a report says before it counts.
const (
	MaxNames    = 10
	maxChannels = 10
	maxRights   = 6
)

// ChannelChange is a channel before and after.
type ChannelChange struct {
	Name          string
	Before, After State
}

// Channel says what a change does in one channel; "" if nobody gains or loses a right
// and all is known.
func (r Report) Channel(before, after State) string {
	return r.write([]section{{lines: linesOf(before, after)}})
}

// Channels says what a change does in several channels, those in which it does the same
// together; "" if it does nothing in any.
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
			fmt.Fprintf(&content, "%d %q %v\n", line.kind, line.can, line.people.set)
		}
		at, known := byContent[content.String()]
		if !known {
			at = len(sections)
			byContent[content.String()] = at
			sections = append(sections, section{lines: lines})
		}
		sections[at].channels = append(sections[at].channels, change.Name)
	}
	return r.write(sections)
}

// kind is what a line says, the most surprising first.
type kind int

const (
	nobodyLeft kind = iota
	internetGains
	internetLoses
	internetUnknown
	lose
	gain
	notKnown
)

// line is what happens to some rights of the same people.
type line struct {
	kind   kind
	can    []string // to follow "can"
	people People
	named  []*zulip.User // those whom there is place to name
}

// withLine adds what happens to a right, to the line about the same people if there is one.
func withLine(lines []*line, kind kind, can string, people People) []*line {
	for _, line := range lines {
		if line.kind == kind && line.people.Equal(people) {
			line.can = append(line.can, can)
			return lines
		}
	}
	return append(lines, &line{kind: kind, can: []string{can}, people: people})
}

// section is what happens in some channels alike.
type section struct {
	channels []string // empty where there is only one, which the reader knows
	lines    []*line
}

// linesOf gathers the effects of a change: each line is about one set of people. Those who are deactivated lose
// everything everywhere, which is not said of every right.
func linesOf(before, after State) []*line {
	gone := before.Access.Everybody().Minus(after.Access.Everybody())
	lines := internetLines(before, after)
	for _, effect := range Compare(before, after) {
		can := effect.Right.InWords()
		if effect.Unknown {
			lines = withLine(lines, notKnown, can, People{})
		}
		if effect.NobodyLeft && effect.Right != CanSubscribe { // that is what private channels are for
			lines = withLine(lines, nobodyLeft, can, People{})
		}
		if less := effect.Lose.Minus(gone); !less.IsEmpty() {
			lines = withLine(lines, lose, can, less)
		}
		if !effect.Gain.IsEmpty() {
			lines = withLine(lines, gain, can, effect.Gain)
		}
	}
	slices.SortStableFunc(lines, func(a, b *line) int { return cmp.Compare(a.kind, b.kind) })
	return lines
}

// internetLines say what those outside the organization gain and lose, who are among no
// people.
func internetLines(before, after State) []*line {
	switch CompareInternet(before, after) {
	case InternetGains:
		return []*line{{kind: internetGains}}
	case InternetLoses:
		return []*line{{kind: internetLoses}}
	case InternetUnknown:
		if before.Channel.PrivacyUnknown || after.Channel.PrivacyUnknown {
			return nil // that it is not known who reads is said of the people
		}
		return []*line{{kind: internetUnknown}}
	}
	return nil
}

func (r Report) write(sections []section) string {
	shown := sections[:min(len(sections), maxChannels)]
	r.chooseNames(shown)
	var paragraphs []string
	for _, section := range shown {
		var text []string
		if len(section.channels) > 0 {
			text = append(text, "In "+someOf(section.channels, maxChannels)+":")
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
		paragraphs = append(paragraphs, fmt.Sprintf("And something else in %s.", counted(channels, "more channel")))
	}
	return strings.Join(paragraphs, "\n\n")
}

// chooseNames gives the names there is place for to those who are surprised most.
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
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(r.Surprise(a.user), r.Surprise(b.user)) })
	for _, chosen := range candidates[:min(len(candidates), MaxNames)] {
		chosen.line.named = append(chosen.line.named, chosen.user)
	}
}

// Surprise ranks people, the most surprising first.
func (r Report) Surprise(user *zulip.User) int {
	switch {
	case user.ID == r.Self:
		return 0
	case user.Role == zulip.RoleGuest:
		return 1
	case user.IsBot:
		return 2
	}
	return 3 + int(user.Role)
}

func (r Report) sentence(line *line) string {
	var what string
	if len(line.can) > 0 { // what the internet does says itself what it is
		what = Together(line.can, maxRights)
	}
	switch line.kind {
	case nobodyLeft:
		return fmt.Sprintf("Nobody is left who can %s.", what)
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

// names lists people, and counts those there is no place for.
func (r Report) names(line *line) string {
	var names []string
	for _, user := range line.named {
		names = append(names, r.name(user))
	}
	switch rest := line.people.Len() - len(names); {
	case rest > 0 && len(names) == 0:
		return counted(rest, "account")
	case rest > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), rest)
	}
	return someOf(names, len(names))
}

func (r Report) name(user *zulip.User) string {
	about := user.Address()
	switch {
	case user.ID == r.Self:
		about += ", the account the provider uses"
	case user.Role == zulip.RoleGuest:
		about += ", a guest"
	case user.IsBot:
		about += ", a bot"
	}
	return fmt.Sprintf("%s (%s)", user.FullName, about)
}

// someOf lists texts as a sentence does, and counts those beyond a limit.
func someOf(texts []string, limit int) string {
	switch n := len(texts); {
	case n == 1:
		return texts[0]
	case n > limit:
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:limit], ", "), n-limit)
	default:
		return strings.Join(texts[:n-1], ", ") + " and " + texts[n-1]
	}
}

func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
