package rules

import (
	_ "embed"
	"strings"
	"sync"
)

// emojiNamesText has a line for each standard emoji, as a server of feature
// level 442 has them: its code, then its names, the usual one first. Later
// servers have other names for some; Zulip's changelog of the API
// (https://zulip.com/api/changelog) does not say since which level.
//
//go:embed emoji_names.txt
var emojiNamesText string

// standardEmoji returns the code of a standard ("unicode_emoji") emoji by its
// name: its code points in hexadecimal, joined by dashes.
func standardEmoji(name string) (code string, ok bool) {
	code, ok = emojiNames().codes[name]
	return code, ok
}

// isStandardEmojiCode reports whether any standard emoji has the code.
func isStandardEmojiCode(code string) bool { return emojiNames().names[code] != nil }

// StandardEmojiNames returns every name of each standard emoji, by code.
func StandardEmojiNames() map[string][]string { return emojiNames().names }

type emojiTable struct {
	codes map[string]string   // by name
	names map[string][]string // by code
}

var emojiNames = sync.OnceValue(func() emojiTable {
	table := emojiTable{codes: map[string]string{}, names: map[string][]string{}}
	for line := range strings.Lines(emojiNamesText) {
		words := strings.Fields(line)
		code, names := words[0], words[1:]
		table.names[code] = names
		for _, name := range names {
			table.codes[name] = code
		}
	}
	return table
})
