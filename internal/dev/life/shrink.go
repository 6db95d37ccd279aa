package life

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// particulars are what differs between two violations of one kind: names, emails and numbers.
var particulars = regexp.MustCompile(`"[^"]*"|\S+@\S+|\[[^]]*\]|\d+|\.\S+:`)

// Kind is what a violation has in common with others of its kind.
func Kind(violation string) string {
	violation, _, _ = strings.Cut(violation, "; done:")
	words := particulars.ReplaceAllString(violation, "…")
	return string([]rune(words)[:min(90, len([]rune(words)))])
}

// Shrink returns a shorter history that shows a violation of the same kind, with what it shows. It tries for some time.
func Shrink(turns []Turn, seed uint64, picture, kind string, most time.Duration) (shortest []Turn, shows Outcome) {
	end := time.Now().Add(most)
	shortest = turns
	try := func(candidate []Turn) bool {
		outcome, err := Play(candidate, seed, picture)
		if err != nil || !slices.ContainsFunc(outcome.Violations, func(one string) bool { return Kind(one) == kind }) {
			return false
		}
		shortest, shows = candidate, outcome
		return true
	}
	for size := len(turns) / 2; size > 0 && time.Now().Before(end); {
		shrunk := false
		for start := 0; start+size <= len(shortest) && time.Now().Before(end); {
			if try(slices.Delete(slices.Clone(shortest), start, start+size)) {
				shrunk = true
			} else {
				start += size
			}
		}
		if !shrunk || size > 1 {
			size /= 2
		}
	}
	return shortest, shows
}
