package featurelevel

import (
	"fmt"
	"slices"
	"strings"
)

// Evidence is the source of the provider's knowledge of a feature level, in the words of server-behavior.md.
type Evidence string

// The kinds of evidence, the best first.
const (
	// Tried means that a server gave the answers.
	Tried Evidence = "tried"
	// Read means that the server's source says so, and that it was not tried.
	Read Evidence = "read"
	// Inferred means that it was concluded from public material, for example the API's changelog, and not tried.
	Inferred Evidence = "inferred"
	// Unknown is for levels above [Newest]: no changes are known.
	Unknown Evidence = "unknown"
)

// readInSource are the levels above [Recorded] that were read in the source of a server.
var readInSource = []int{
	BotShortName, GIFRatingPolicy, HomeViewRecent, 456, DeactivationActions, 460, 465, 469, WorkplaceUsers, 493, ChannelPushNotifications,
}

// EvidenceOf returns the source of knowledge about a level. Levels up to [Recorded] were tried on a server of that level.
func EvidenceOf(level int) Evidence {
	switch {
	case level <= Recorded:
		return Tried
	case level > Newest:
		return Unknown
	case slices.Contains(readInSource, level):
		return Read
	}
	return Inferred
}

// Range is a range of feature levels with the same evidence.
type Range struct {
	// From and To are the first and the last level. To is zero for the range without an end.
	From, To int
	// Tried is the behavior that was tried. Read names the other sources of knowledge.
	Tried, Read string
}

// Ranges describes all supported levels, lowest first.
func Ranges() []Range {
	read, inferred := evidenceAbove(Recorded, Newest)
	return []Range{
		{Oldest, Recorded - 1, "The sandbox" + testedWithin(Oldest, Recorded-1) + ".",
			fmt.Sprintf("The source and the API documentation of a server of level %d.", Recorded)},
		{Recorded, Recorded, "A real server, whose recorded answers the sandbox reproduces, and the sandbox.",
			"The server's source."},
		{Recorded + 1, Newest, "The sandbox" + testedWithin(Recorded+1, Newest) + ".",
			"The source of newer servers for the changes at " + joinLevels(read) + ". The API's changelog and documentation for those at " + joinLevels(inferred) + "."},
		{Newest + 1, 0, "Nothing.", fmt.Sprintf("Nothing. The provider treats these servers like level %d.", Newest)},
	}
}

// RangeOf returns the range of a level; ok is false below [Oldest], where nothing is supported.
func RangeOf(level int) (found Range, ok bool) {
	for _, candidate := range Ranges() {
		if level >= candidate.From && (level <= candidate.To || candidate.To == 0) {
			return candidate, true
		}
	}
	return Range{}, false
}

// String returns the levels: "442", "443 to 512", "above 512".
func (r Range) String() string {
	switch r.To {
	case 0:
		return fmt.Sprintf("above %d", r.From-1)
	case r.From:
		return fmt.Sprint(r.From)
	}
	return fmt.Sprintf("%d to %d", r.From, r.To)
}

// testedWithin returns the tested levels of a range.
func testedWithin(from, to int) string {
	return " at " + joinLevels(slices.DeleteFunc(slices.Clone(Tested), func(level int) bool { return level < from || level > to }))
}

// evidenceAbove returns the levels up to a last one at which a used part of the API changed, separately by evidence.
func evidenceAbove(above, last int) (read, inferred []int) {
	var levels []int
	for _, row := range Table {
		levels = append(levels, row.Level)
	}
	for _, change := range Changes {
		levels = append(levels, change.Level)
	}
	slices.Sort(levels)
	for _, level := range slices.Compact(levels) {
		switch {
		case level <= above || level > last:
		case EvidenceOf(level) == Read:
			read = append(read, level)
		default:
			inferred = append(inferred, level)
		}
	}
	return read, inferred
}

// joinLevels lists levels: "447, 453 and 454".
func joinLevels(levels []int) string {
	texts := make([]string, len(levels))
	for i, level := range levels {
		texts[i] = fmt.Sprint(level)
	}
	if last := len(texts) - 1; last > 0 {
		return strings.Join(texts[:last], ", ") + " and " + texts[last]
	}
	return strings.Join(texts, "")
}

// Untried is a part of a resource that depends on a level that was not tried.
type Untried struct {
	Level    int
	Evidence Evidence
	// What is the attribute, with its value if only the value depends on the level. If the behavior changes, What is the
	// change.
	What string
}

// String returns What with its level: "default_push_notifications (507, read)".
func (u Untried) String() string { return fmt.Sprintf("%s (%d, %s)", u.What, u.Level, u.Evidence) }

// UntriedOf returns the untried behavior of a resource, data source or action on a server of a level, by level.
func UntriedOf(of string, level int) (all []Untried) {
	for _, row := range Table {
		if row.Of != of || row.Level <= Recorded || row.Level > level {
			continue
		}
		what := "`" + row.Attribute + "`"
		switch {
		case row.Attribute == "":
			what = "all of it"
		case row.Value != "":
			what = fmt.Sprintf("`%s = %s`", row.Attribute, row.Value)
		}
		all = append(all, Untried{row.Level, EvidenceOf(row.Level), what})
	}
	for _, change := range Changes {
		if change.Of == of && change.Level > Recorded && change.Level <= level {
			all = append(all, Untried{change.Level, EvidenceOf(change.Level), strings.TrimSuffix(change.From, ".")})
		}
	}
	slices.SortStableFunc(all, func(a, b Untried) int { return a.Level - b.Level })
	return all
}
