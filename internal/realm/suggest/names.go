// Package suggest finds what a misspelled name may have meant, and says so at the end of a message.
package suggest

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// maxListed is the number of names up to which a message lists all of them.
const maxListed = 8

// Names are what a reference by name can refer to. Suggest says which of them may have been meant.
type Names struct {
	// Things is the plural of what has the names, as in "linkifiers".
	Things string
	All    []string
	// Where is a clause on where all are listed, as in "the data source zulip_linkifiers lists all". Without it a message
	// lists them, however many they are.
	Where string
	// Unquoted is set for addresses, which are written without quotes.
	Unquoted bool
}

// Suggest returns the end of a message that says that nothing is called name. It asks whether the nearest names were meant;
// without any it lists all names if they are few, and else says where they are listed.
func (n Names) Suggest(name string) string {
	switch near := Nearest(name, n.All); {
	case len(near) > 0:
		return "; did you mean " + strings.Join(n.Quoted(near), " or ") + "?"
	case len(n.All) == 0:
		return fmt.Sprintf("; there are no %s", n.Things)
	case len(n.All) <= maxListed || n.Where == "":
		return fmt.Sprintf("; the %s are: %s", n.Things, strings.Join(n.Quoted(n.All), ", "))
	}
	return "; " + n.Where
}

// Quoted returns the names as a message shows them.
func (n Names) Quoted(names []string) []string {
	quoted := make([]string, len(names))
	for i, name := range names {
		if quoted[i] = name; !n.Unquoted {
			quoted[i] = Quote(name)
		}
	}
	return quoted
}

// Quote returns a name in quotes, without escapes as long as every character can be seen: a pattern is copied as it is.
func Quote(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return `"` + name + `"`
}
