package export

import (
	"regexp"
	"strings"
	"unicode"
)

// How much is written of a name and of a sentence that a server says, in characters. Its own names are shorter.
const (
	longestName     = 300
	longestSentence = 2000
)

// visible returns a name in one line, without what is not seen or would turn the line around, and cut where it is too long.
func visible(name string) string { return visibleUpTo(longestName, name) }

func visibleUpTo(longest int, text string) string {
	letters := []rune(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, text))
	if len(letters) > longest {
		letters = append(letters[:longest], '…')
	}
	return string(letters)
}

// inCode writes a name into Markdown as code, in which nothing has a meaning: between more backticks than stand in it.
func inCode(name string) string {
	name = visible(name)
	longest, run := 0, 0
	for _, letter := range name {
		if run++; letter != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if strings.TrimSpace(name) == "" || strings.HasPrefix(name, "`") || strings.HasSuffix(name, "`") {
		name = " " + name + " " // of which Markdown takes one away on each side
	}
	return fence + name + fence
}

// hasMeaning is what has a meaning within a line of Markdown: signs of their own, and the addresses that a page turns into links.
// Lines begin with text of ours, so that what only counts at the start of one needs no backslash.
var hasMeaning = regexp.MustCompile("[\\\\`*_\\[\\]<|~#@$^]|&[#A-Za-z]|://|(?i:www)\\.")

// escaped writes a sentence into Markdown as text. A backslash takes away what a sign means.
func escaped(sentence string) string {
	return hasMeaning.ReplaceAllStringFunc(visibleUpTo(longestSentence, sentence), func(found string) string {
		if www, ok := strings.CutSuffix(found, "."); ok {
			return www + `\.`
		}
		return `\` + found
	})
}
