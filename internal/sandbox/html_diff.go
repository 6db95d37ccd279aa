package sandbox

import (
	"regexp"
	"slices"
	"strings"
)

// htmlDiff marks in rendered content the words that an edit inserted and deleted, nearly like the server does
// (https://zulip.com/api/get-message-history).
func htmlDiff(before, after string) string {
	old, current := diffWords(before), diffWords(after)
	out := &diffWriter{}
	same := commonWords(old, current)
	for len(old) > 0 || len(current) > 0 {
		i, j := len(old), len(current)
		if len(same) > 0 {
			i, j = same[0][0], same[0][1]
		}
		ends := out.changed("highlight_text_inserted", current[:j], true)
		out.changed("highlight_text_deleted", old[:i], false)
		out.html.WriteString(ends)
		if len(same) == 0 {
			break
		}
		out.unchanged(current[j])
		old, current = old[i+1:], current[j+1:]
		same = same[1:]
		for k := range same {
			same[k] = [2]int{same[k][0] - i - 1, same[k][1] - j - 1}
		}
	}
	return "<div>" + out.html.String() + "</div>"
}

// diffWord is a word with the tags before and after it.
type diffWord struct {
	word         string
	before, then []string
}

var (
	tagOrWord = regexp.MustCompile(`<[^>]*>|[^<\s]+`)
	tagName   = regexp.MustCompile(`^</?([a-z0-9]+)`)
)

func nameOfTag(tag string) string {
	if match := tagName.FindStringSubmatch(tag); match != nil {
		return match[1]
	}
	return ""
}

func diffWords(rendered string) []diffWord {
	var words []diffWord
	var opened []string
	for _, part := range tagOrWord.FindAllString(rendered, -1) {
		switch {
		case strings.HasPrefix(part, "</") && len(words) > 0 && len(opened) == 0:
			last := &words[len(words)-1]
			last.then = append(last.then, part)
		case strings.HasPrefix(part, "<"):
			opened = append(opened, part)
		default:
			words = append(words, diffWord{word: part, before: opened})
			opened = nil
		}
	}
	if len(opened) > 0 {
		words = append(words, diffWord{before: opened})
	}
	return words
}

// commonWords returns the longest common sequence of words of two texts, as the positions in both.
func commonWords(a, b []diffWord) [][2]int {
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].word == b[j].word {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	var common [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].word == b[j].word:
			common = append(common, [2]int{i, j})
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			j++
		}
	}
	return common
}

// diffWriter writes words with a space between them.
type diffWriter struct{ html strings.Builder }

func (w *diffWriter) space() {
	if text := w.html.String(); text != "" && !strings.HasSuffix(text, " ") {
		w.html.WriteByte(' ')
	}
}

func (w *diffWriter) unchanged(word diffWord) {
	if len(word.before) == 0 || !isBlockTag(word.before[0]) {
		w.space()
	}
	w.html.WriteString(strings.Join(word.before, "") + word.word + strings.Join(word.then, ""))
}

// changed writes words that one of the two texts lacks, with a mark that stays inside of a block. It drops tags without a
// partner from deleted words, and writes them outside of the mark for inserted words. It returns the tags that end the
// mark.
func (w *diffWriter) changed(class string, words []diffWord, keepTags bool) (ends string) {
	var parts []string
	for _, word := range words {
		parts = append(parts, word.before...)
		if word.word != "" {
			parts = append(parts, word.word)
		}
		parts = append(parts, word.then...)
	}
	partnered := tagsWithPartner(parts)
	for n := len(parts); keepTags && n > 0 && strings.HasPrefix(parts[n-1], "</") && !partnered[n-1]; n-- {
		ends, parts = parts[n-1]+ends, parts[:n-1]
	}
	open := false
	end := func() {
		if open {
			w.html.WriteString("</span> ")
			open = false
		}
	}
	for i, part := range parts {
		isTag := strings.HasPrefix(part, "<")
		if isTag && (isBlockTag(part) || !partnered[i]) {
			if keepTags || partnered[i] {
				end()
				w.html.WriteString(part)
			}
			continue
		}
		if !open {
			w.space()
			w.html.WriteString(`<span class="` + class + `">`)
			open = true
		} else if !isTag && !strings.HasPrefix(parts[i-1], "<") {
			w.html.WriteByte(' ')
		}
		w.html.WriteString(part)
	}
	end()
	return ends
}

var blockTags = strings.Fields("blockquote div h1 h2 h3 h4 h5 h6 hr li ol p pre table tbody td th thead tr ul")

func isBlockTag(tag string) bool { return slices.Contains(blockTags, nameOfTag(tag)) }

// tagsWithPartner reports which parts are tags that are both opened and closed among them, or need no closing tag.
func tagsWithPartner(parts []string) map[int]bool {
	partnered := map[int]bool{}
	var opened []int
	for i, part := range parts {
		name := nameOfTag(part)
		switch {
		case !strings.HasPrefix(part, "<"):
		case name == "br" || name == "img" || name == "hr":
			partnered[i] = true
		case !strings.HasPrefix(part, "</"):
			opened = append(opened, i)
		case len(opened) > 0 && nameOfTag(parts[opened[len(opened)-1]]) == name:
			partnered[i], partnered[opened[len(opened)-1]] = true, true
			opened = opened[:len(opened)-1]
		}
	}
	return partnered
}
