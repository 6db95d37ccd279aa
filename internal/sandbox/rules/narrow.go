package rules

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// NarrowTerm is one condition of a narrow; the operand is a string, an int or
// a list of ints.
type NarrowTerm struct {
	Operator string
	Operand  any
	Negated  bool
}

// Anchors before and after every message.
const (
	AnchorOldest = 0
	AnchorNewest = 10_000_000_000_000_000
)

// MessageQuery asks for messages around an anchor (https://zulip.com/api/get-messages).
type MessageQuery struct {
	// Anchor is a message's id, AnchorOldest or AnchorNewest.
	Anchor int
	// FirstUnread is true if the anchor is the oldest unread message instead.
	FirstUnread   bool
	ExcludeAnchor bool
	Before, After int
	Narrow        []NarrowTerm
	// IDs, if not nil, replace the range.
	IDs []int
}

// QueryResult is the answer to a MessageQuery.
type QueryResult struct {
	IDs                                   []int // ascending
	Anchor                                int
	FoundAnchor, FoundOldest, FoundNewest bool
}

// FindMessages returns the matching messages that a person can see.
func (o *Organization) FindMessages(u User, q MessageQuery) (QueryResult, error) {
	matches, history, err := o.narrowTests(u, q.Narrow)
	if err != nil {
		return QueryResult{}, err
	}
	if q.IDs != nil {
		ids := o.readable(u, sortedSet(q.IDs))
		return QueryResult{IDs: slices.DeleteFunc(ids, func(id int) bool {
			m, _ := o.Messages.Get(id)
			return !matches(m)
		})}, nil
	}
	matching := o.matching(u, matches, history)
	if q.FirstUnread {
		q.Anchor = AnchorNewest
		if i := slices.IndexFunc(matching, func(id int) bool {
			m, _ := o.Messages.Get(id)
			return m.FlagsFor(u.ID)&FlagRead == 0
		}); i >= 0 {
			q.Anchor = matching[i]
		}
	}
	return around(matching, q), nil
}

// around returns the requested range of the matches.
func around(matching []int, q MessageQuery) QueryResult {
	at, found := slices.BinarySearch(matching, q.Anchor)
	before, after := matching[:at], matching[at:]
	result := QueryResult{IDs: []int{}, Anchor: q.Anchor, FoundAnchor: found && !q.ExcludeAnchor}
	if found {
		after = after[1:]
	}
	result.FoundOldest = q.Anchor <= AnchorOldest || len(before) < q.Before
	result.FoundNewest = q.Anchor >= AnchorNewest || len(after) < q.After
	result.IDs = append(result.IDs, before[max(0, len(before)-q.Before):]...)
	if result.FoundAnchor {
		result.IDs = append(result.IDs, q.Anchor)
	}
	result.IDs = append(result.IDs, after[:min(len(after), q.After)]...)
	return result
}

// matching returns the ids of matching messages, ascending. It searches the messages of a channel, or those that a person
// has received.
func (o *Organization) matching(u User, matches func(Message) bool, channel int) []int {
	matching := []int{}
	if channel == 0 {
		for id, m := range o.Messages.All() {
			if m.received(u.ID) && matches(m) {
				matching = append(matching, id)
			}
		}
		return matching
	}
	for _, id := range o.messages.channels[channel] {
		if m, _ := o.Messages.Get(id); matches(m) {
			matching = append(matching, id)
		}
	}
	return matching
}

// narrowTests returns the condition of a narrow. history is the id of a channel if the narrow names one with a history that
// the person can see, and contains none of the person's own flags. Any message of that channel can match then.
func (o *Organization) narrowTests(u User, narrow []NarrowTerm) (matches func(Message) bool, history int, err error) {
	tests := make([]func(Message) bool, 0, len(narrow))
	for _, term := range narrow {
		test, err := o.narrowTest(u, term)
		if err != nil {
			return nil, 0, err
		}
		negated := term.Negated
		tests = append(tests, func(m Message) bool { return test(m) != negated })
		if ch, ok := o.narrowChannel(term); ok && !negated && ch.SharedHistory && o.HasContentAccess(u, ch) {
			history = ch.ID
		}
	}
	if slices.ContainsFunc(narrow, func(t NarrowTerm) bool {
		return t.Operator == "is" && t.Operand != "resolved" && t.Operand != "followed"
	}) {
		history = 0
	}
	return func(m Message) bool {
		for _, test := range tests {
			if !test(m) {
				return false
			}
		}
		return true
	}, history, nil
}

func (o *Organization) narrowChannel(term NarrowTerm) (Channel, bool) {
	if term.Operator != "channel" && term.Operator != "stream" {
		return Channel{}, false
	}
	if id, ok := term.Operand.(int); ok {
		return o.Channels.Get(id)
	}
	return o.ChannelByName(fmt.Sprint(term.Operand))
}

func badNarrow(format string, args ...any) *Error {
	desc := fmt.Sprintf(format, args...)
	return &Error{Code: "BAD_NARROW", Msg: "Invalid narrow operator: " + desc, Extra: map[string]any{"desc": desc}}
}

// narrowTest returns the condition of a term.
func (o *Organization) narrowTest(u User, term NarrowTerm) (func(Message) bool, error) {
	text, _ := term.Operand.(string)
	switch term.Operator {
	case "channel", "stream":
		ch, ok := o.narrowChannel(term)
		if !ok {
			return nil, badNarrow("unknown channel %v", term.Operand)
		}
		return func(m Message) bool { return m.ChannelID == ch.ID }, nil
	case "topic":
		if text == EmptyTopicShownName {
			text = ""
		}
		return func(m Message) bool { return !m.Direct() && strings.EqualFold(m.Topic, text) }, nil
	case "sender":
		who, ok := o.narrowPerson(term.Operand)
		if !ok {
			return nil, badNarrow("unknown user %v", term.Operand)
		}
		return func(m Message) bool { return m.SenderID == who.ID }, nil
	case "dm", "pm-with", "dm-with", "dm-including":
		return o.directTest(u, term)
	case "id":
		id, err := strconv.Atoi(fmt.Sprint(term.Operand))
		if err != nil {
			return nil, badNarrow("invalid message ID")
		}
		return func(m Message) bool { return m.ID == id }, nil
	case "near":
		return func(Message) bool { return true }, nil
	case "search":
		return o.searchTest(text), nil
	case "has":
		return o.hasTest(text)
	case "is":
		return o.isTest(u, text)
	}
	return nil, badNarrow("unknown operator %s", term.Operator)
}

func (o *Organization) narrowPerson(operand any) (User, bool) {
	if id, ok := operand.(int); ok {
		return o.Users.Get(id)
	}
	return o.UserByAPIEmail(fmt.Sprint(operand))
}

// directTest narrows to a conversation, or to those that include a person.
func (o *Organization) directTest(u User, term NarrowTerm) (func(Message) bool, error) {
	var operands []any
	switch v := term.Operand.(type) {
	case []int:
		for _, id := range v {
			operands = append(operands, id)
		}
	case string:
		for email := range strings.SplitSeq(v, ",") {
			operands = append(operands, Strip(email))
		}
	default:
		operands = []any{v}
	}
	people := []int{u.ID}
	for _, operand := range operands {
		who, ok := o.narrowPerson(operand)
		if !ok {
			return nil, badNarrow("unknown user in %v", term.Operand)
		}
		people = append(people, who.ID)
	}
	people = sortedSet(people)
	if term.Operator == "dm-including" {
		return func(m Message) bool {
			return m.Direct() && !slices.ContainsFunc(people, func(id int) bool { return !slices.Contains(m.People, id) })
		}, nil
	}
	return func(m Message) bool { return m.Direct() && slices.Equal(m.People, people) }, nil
}

func (o *Organization) hasTest(what string) (func(Message) bool, error) {
	switch what {
	case "reaction":
		return func(m Message) bool { return len(m.Reactions) > 0 }, nil
	case "link":
		return func(m Message) bool { return strings.Contains(o.Render(m.Content), "<a ") }, nil
	case "image":
		return func(m Message) bool { return strings.Contains(o.Render(m.Content), `class="message_inline_image"`) }, nil
	case "attachment":
		return func(m Message) bool { return strings.Contains(m.Content, "/user_uploads/") }, nil
	}
	return nil, badNarrow("unknown 'has' operand %s", what)
}

func (o *Organization) isTest(u User, what string) (func(Message) bool, error) {
	flagged := func(flags Flags) (func(Message) bool, error) {
		return func(m Message) bool { return m.FlagsFor(u.ID)&flags != 0 }, nil
	}
	switch what {
	case "dm", "private":
		return Message.Direct, nil
	case "starred":
		return flagged(FlagStarred)
	case "unread":
		return func(m Message) bool { return m.FlagsFor(u.ID)&FlagRead == 0 }, nil
	case "mentioned":
		return flagged(FlagMentioned | FlagChannelWildcard | FlagTopicWildcard)
	case "resolved":
		return func(m Message) bool { return strings.HasPrefix(m.Topic, resolvedPrefix) }, nil
	case "followed":
		return func(m Message) bool { return o.visibilityOf(u.ID, m.ChannelID, m.Topic) == TopicFollowed }, nil
	}
	return nil, badNarrow("unknown 'is' operand %s", what)
}

var (
	searchedWord = regexp.MustCompile(`[\pL\pN_]+`)
	quotedPhrase = regexp.MustCompile(`"([^"]+)"`)
	markup       = regexp.MustCompile(`<[^>]*>`)
)

// stem returns a word without its ending, so that its other forms match too. The server knows more endings.
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

// searchTest requires all words, anywhere in a message, and quoted phrases exactly.
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

// Highlight marks the words of a search in HTML.
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

// Searched returns all words that a narrow searches for; false without a search.
func Searched(narrow []NarrowTerm) (operand string, ok bool) {
	var operands []string
	for _, term := range narrow {
		if text, isText := term.Operand.(string); isText && term.Operator == "search" {
			operands = append(operands, text)
		}
	}
	return strings.Join(operands, " "), len(operands) > 0
}
