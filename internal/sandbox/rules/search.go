package rules

import (
	"html"
	"regexp"
	"slices"
	"strings"
)

var (
	searchedWord = regexp.MustCompile(`[\pL\pN_]+`)
	quotedPhrase = regexp.MustCompile(`"([^"]+)"`)
	markup       = regexp.MustCompile(`<[^>]*>`)
)

// stem is a word without its ending, so that its other forms are found too. The server knows more endings.
func stem(word string) string {
	word = strings.ToLower(word)
	for _, ending := range []string{"ing", "ed", "s"} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) > 2 {
			return rest
		}
	}
	return word
}

func stems(text string) []string {
	words := searchedWord.FindAllString(text, -1)
	for i, word := range words {
		words[i] = stem(word)
	}
	return words
}

// searchTest asks a message for all words, wherever they are, and for quoted phrases as they stand.
func (o *Organization) searchTest(operand string) func(Message) bool {
	words := stems(operand)
	return func(m Message) bool {
		found := stems(html.UnescapeString(markup.ReplaceAllString(o.Render(m.Content), " ")) + " " + m.Topic)
		for _, word := range words {
			if !slices.Contains(found, word) {
				return false
			}
		}
		for _, phrase := range quotedPhrase.FindAllStringSubmatch(operand, -1) {
			if text := strings.ToLower(phrase[1]); !strings.Contains(strings.ToLower(m.Content), text) && !strings.Contains(strings.ToLower(m.Topic), text) {
				return false
			}
		}
		return true
	}
}

// Highlight marks in HTML the words that a search found.
func Highlight(rendered, operand string) string {
	words := stems(operand)
	mark := func(text string) string {
		return searchedWord.ReplaceAllStringFunc(text, func(word string) string {
			if slices.Contains(words, stem(word)) {
				return `<span class="highlight">` + word + `</span>`
			}
			return word
		})
	}
	var out strings.Builder
	at := 0
	for _, tag := range markup.FindAllStringIndex(rendered, -1) {
		out.WriteString(mark(rendered[at:tag[0]]) + rendered[tag[0]:tag[1]])
		at = tag[1]
	}
	return out.String() + mark(rendered[at:])
}

// Searched is what a narrow searches for, all of it together; false if it does not.
func Searched(narrow []NarrowTerm) (operand string, ok bool) {
	var operands []string
	for _, term := range narrow {
		if text, isText := term.Operand.(string); isText && term.Operator == "search" {
			operands = append(operands, text)
		}
	}
	return strings.Join(operands, " "), len(operands) > 0
}
