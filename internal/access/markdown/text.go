package markdown

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
)

// code writes a name as code. In a code span only the backtick has a meaning, and in a table the bar. A name with one of
// these is written in HTML, with every character as its number.
func code(name string) string {
	name = meaning.Cut(printable(name), maxName)
	if !strings.ContainsAny(name, "`|\\") && strings.TrimSpace(name) == name && name != "" {
		return "`" + name + "`"
	}
	var text strings.Builder
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			text.WriteRune(r)
		} else {
			fmt.Fprintf(&text, "&#%d;", r)
		}
	}
	return "<code>" + text.String() + "</code>"
}

// keyed is a resource address with keys in quotes, such as module.team["a b"].zulip_channel.x.
var keyed = regexp.MustCompile(`[\w.-]*[\w-](?:\[(?:\d+|"(?:[^"\\]|\\.)*")\](?:[\w.-]*[\w-])?)+`)

// maxName is the length to which names are cut. The server's names are shorter.
const maxName = 200

// plain writes a sentence. A part in quotes is a name: if it has anything but letters, it is written as code without the
// quotes and escapes.
//
// A word with anything but letters is written as code too, because it may be a name. Punctuation at its beginning or end
// doesn't count. So is a word of digits and letters, which may be the number of an issue or a commit.
func plain(sentence string) string {
	var text strings.Builder
	for {
		at := strings.IndexByte(sentence, '"')
		if address := keyed.FindStringIndex(sentence); address != nil && address[0] < at { // its key is in quotes
			text.WriteString(plainWords(sentence[:address[0]]) + code(sentence[address[0]:address[1]]))
			sentence = sentence[address[1]:]
			continue
		}
		if at < 0 {
			return text.String() + plainWords(sentence)
		}
		quoted, err := strconv.QuotedPrefix(sentence[at:])
		name, other := strconv.Unquote(quoted)
		if err != nil || other != nil || plainWords(quoted) == quoted {
			end := at + max(1, len(quoted))
			if next := strings.IndexByte(sentence[end:], ' '); next >= 0 { // to the end of the word, which is one
				end += next + 1
			} else {
				end = len(sentence)
			}
			text.WriteString(plainWords(sentence[:end]))
			sentence = sentence[end:]
			continue
		}
		text.WriteString(plainWords(sentence[:at]) + code(name))
		sentence = sentence[at+len(quoted):]
	}
}

func plainWords(text string) string {
	tokens := strings.Split(text, " ")
	for i, token := range tokens {
		word := strings.Trim(token, `.,;:()"'?!`)
		if strings.ContainsFunc(word, isOdd) || strings.ContainsFunc(word, unicode.IsDigit) && strings.ContainsFunc(word, isNoDigit) {
			at := strings.Index(token, word)
			tokens[i] = token[:at] + code(word) + token[at+len(word):]
		}
	}
	return strings.Join(tokens, " ")
}

func isNoDigit(r rune) bool { return !unicode.IsDigit(r) && r != ',' }

// isOdd reports whether a character can have a meaning in Markdown, or for a parser of links and mentions.
func isOdd(r rune) bool {
	return !unicode.IsLetter(r) && r != ',' && r != '\'' && r != '’' && r != '–' && r != '-' && (r < '0' || r > '9')
}

// printable removes invisible and bidirectional characters from a text.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Zs, r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
