package suggest

import (
	"strconv"
	"strings"
)

// What messages about a name that nothing has begin with, wherever a configuration uses the name: as an element of a list, as an
// attribute, or in a permission.

const isMissing = " is not in the organization"

// MissingUser is the summary about an address or ID that nobody has.
func MissingUser(text string) string { return strconv.Quote(strings.ToLower(text)) + isMissing }

// MissingGroup is the summary about a name or ID that no user group has.
func MissingGroup(text string) string { return "User group " + strconv.Quote(text) + isMissing }

// IsMissing reports whether a summary is one of these. address is that of [MissingUser], else "".
func IsMissing(summary string) (address string, ok bool) {
	name, ok := strings.CutSuffix(summary, isMissing)
	address, err := strconv.Unquote(name)
	if !ok || err != nil {
		return "", ok
	}
	return address, true
}
