package rules

import (
	"strings"
	"unicode"
)

// Strip returns a text without white space at both ends, as Python defines it (server-behavior §R29).
func Strip(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1C && r <= 0x1F })
}

// upper returns the form in which the database compares names of channels and folders: the capital of each character, one
// by one (server-behavior §C23).
func upper(name string) string { return strings.Map(unicode.ToUpper, name) }

// lower returns the form in which the server's program compares names in some places.
func lower(name string) string { return strings.Map(unicode.ToLower, name) }
