// Package suggest finds the names similar to a misspelled one, for the end of a message. It knows no organization.
package suggest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
)

// suggestions is the maximum number of names that a message suggests.
const suggestions = 2

// minPrefix is the minimum length of a prefix of a name.
const minPrefix = 3

// Nearest returns the names closest to a text: those that begin with it, as "administrator" does with "admins", and
// those that differ in at most two letters or a third of the letters, and in no more than about half of them. In an email it compares only the part before
// the domain, which most have in common.
func Nearest(text string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	text = strings.ToLower(text)
	local, _, _ := strings.Cut(text, "@")
	limit := min(max(2, len(local)/3), (len(local)+1)/2)
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

// maxListed is the number of names up to which a message lists all of them.
const maxListed = 8

// Names are the names that a reference can use. Suggest returns the nearest ones.
type Names struct {
	// Things is the plural of the objects with these names, as in "linkifiers".
	Things string
	All    []string
	// Where is a clause about a list of all names, as in "the data source zulip_linkifiers lists all". Without it, a
	// message lists them all.
	Where string
	// Prefix precedes the name in the text of the user, as in "name:2024".
	Prefix string
	// Unquoted is true for emails, which are written without quotes.
	Unquoted bool
}

// Suggest returns the end of a message about an unknown name. It asks whether the nearest names were meant. Without
// any it lists the names if they are few, and otherwise the place that lists them.
func (n Names) Suggest(name string) string {
	switch near := Nearest(name, n.All); {
	case n.Prefix != "" && slices.Contains(n.All, n.Prefix+name):
		return "; did you mean " + Quote(n.Prefix+n.Prefix+name) + "?"
	case len(near) > 0:
		return "; did you mean " + strings.Join(n.Quoted(near), " or ") + "?"
	case len(n.All) == 0:
		return fmt.Sprintf("; there are no %s", n.Things)
	case len(n.All) <= maxListed || n.Where == "":
		return fmt.Sprintf("; the %s are: %s", n.Things, strings.Join(n.Quoted(n.All), ", "))
	}
	return "; " + n.Where
}

// Quoted returns the names for a message.
func (n Names) Quoted(names []string) []string {
	quoted := make([]string, len(names))
	for i, name := range names {
		if quoted[i] = name; !n.Unquoted {
			quoted[i] = Quote(name)
		}
	}
	return quoted
}

// Quote returns a name in quotes, without escapes if every character is visible, so that a pattern can be copied.
func Quote(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return `"` + name + `"`
}

// Messages about an unknown name begin with these texts wherever a configuration uses the name: as an element of a
// list, as an attribute, or in a permission.

const isMissing = " is not in the organization"

// MissingUser returns the summary about an email or ID that no user has.
func MissingUser(text string) string { return strconv.Quote(strings.ToLower(text)) + isMissing }

// MissingGroup is the summary about a name or ID that no user group has.
func MissingGroup(text string) string { return "User group " + strconv.Quote(text) + isMissing }

// Hidden returns the error about the email of a person who hides it. written and reference are their ID in a
// configuration, as a value and as an expression.
func Hidden(address string, id int64, written, reference string) (summary, detail string) {
	return address + " is a hidden email",
		fmt.Sprintf("user %d hides it from the provider's account, so an apply cannot find the user by it. Instead, write %q, or reference the ID as %s", id, written, reference)
}

// Ends returns the warning about an object of a type that a plan destroys while the configuration still names it as text.
func Ends(kind, name string) (summary, detail string) {
	thing := strings.ReplaceAll(strings.TrimPrefix(kind, "zulip_"), "_", " ")
	return fmt.Sprintf("This plan destroys %s %s, which the configuration still names", thing, Quote(name)),
		fmt.Sprintf("Its %s is destroyed, and another resource names the %s as text. If Terraform destroys it first, the apply stops at the other resource. Remove the name there, or keep the %s.", kind, thing, kind)
}

// Reassigned returns the error about a name that this plan takes from an object. instead says what to write.
func Reassigned(thing, name string, id int64, instead string) (summary, detail string) {
	return Quote(name) + " changes in this plan",
		fmt.Sprintf("the %s with the ID %d has this name now, and not after this plan. Terraform can change it before or after this resource. %s", thing, id, instead)
}

// WriteID says how to write the ID of an object instead of its name: as a value, and as a reference.
func WriteID(thing, written, reference string) string {
	return fmt.Sprintf("Instead, write the ID of the %s that you mean, as in %q, or reference it as %s", thing, written, reference)
}

// IsMissing reports whether a summary is one of these.
func IsMissing(summary string) bool { return strings.HasSuffix(summary, isMissing) }
