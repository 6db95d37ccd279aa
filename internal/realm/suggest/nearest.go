package suggest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// suggestions is how many names a message suggests.
const suggestions = 2

// minPrefix is how many letters have to be there for the beginning of a name.
const minPrefix = 3

// Nearest returns the names closest to a text: those that begin with it, as "administrator" does with "admins", and those of
// which at most a third of its letters differ, or two. Of an address only what is before the domain counts, which most have in
// common.
func Nearest(text string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	text = strings.ToLower(text)
	local, _, _ := strings.Cut(text, "@")
	limit := max(2, len(local)/3)
	beginning := strings.TrimSuffix(text, "s")
	var near []candidate
	for _, name := range names {
		lower := strings.ToLower(name)
		distance := levenshtein.ComputeDistance(text, lower)
		if len(beginning) >= minPrefix && strings.HasPrefix(lower, beginning) {
			distance = min(distance, 1)
		}
		if distance <= limit {
			near = append(near, candidate{name, distance})
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	var best []string
	for _, candidate := range near[:min(len(near), suggestions)] {
		best = append(best, candidate.name)
	}
	return best
}

// DidYouMean returns a sentence that asks whether one of some names was meant; "" if there are none.
func DidYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " Did you mean " + strings.Join(names, " or ") + "?"
}
