package rules

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// The server's own syntax inside of a line, each from its first character on.
var (
	mentionSyntax = regexp.MustCompile(`^@(_?)(?:\*\*([^*\n]+)\*\*|\*([^*\n]+)\*)`)
	channelSyntax = regexp.MustCompile(`^#\*\*([^*>\n]+)(?:>([^*\n]*))?\*\*`)
	emojiSyntax   = regexp.MustCompile(`^:([\w+-]+):`)
	bracketedURL  = regexp.MustCompile(`^<(https?://[^\s<>]+)>`)
)

// inlineSyntax parses what begins with a character and matches a pattern. render returns "" for what stays text.
type inlineSyntax struct {
	trigger byte
	pattern *regexp.Regexp
	render  func(match []string) string
}

// Trigger is part of parser.InlineParser.
func (s inlineSyntax) Trigger() []byte { return []byte{s.trigger} }

// Parse is part of parser.InlineParser.
func (s inlineSyntax) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	match := s.pattern.FindSubmatch(line)
	if match == nil {
		return nil
	}
	groups := make([]string, len(match))
	for i, group := range match {
		groups[i] = string(group)
	}
	rendered := s.render(groups)
	if rendered == "" {
		return nil
	}
	block.Advance(len(match[0]))
	return htmlNode(rendered)
}

// htmlNode is HTML inside of a line.
func htmlNode(rendered string) *ast.String {
	node := ast.NewString([]byte(rendered))
	node.SetCode(true) // written as it is
	return node
}

// tag is an opening tag with attributes, name and value in turn.
func tag(name string, attributes ...string) string {
	written := "<" + name
	for pair := range slices.Chunk(attributes, 2) {
		written += " " + pair[0] + `="` + html.EscapeString(pair[1]) + `"`
	}
	return written + ">"
}

// renderMention renders a mention of a person, of everybody, or of a group; "_" makes it a silent one.
func (o *Organization) renderMention(match []string) string {
	silent, name := match[1] == "_", match[2]
	span := func(class, name string, attributes ...string) string {
		if silent {
			class += " silent"
		} else {
			name = "@" + name
		}
		return tag("span", append([]string{"class", class}, attributes...)...) + escapeMarkup(name) + "</span>"
	}
	if name == "" {
		g, ok := o.GroupByName(match[3])
		if !ok {
			return ""
		}
		silent = silent || g.Deactivated
		return span("user-group-mention", g.Name, "data-user-group-id", strconv.Itoa(g.ID))
	}
	if slices.Contains(wildcards, name) {
		return span("user-mention channel-wildcard-mention", name, "data-user-id", "*")
	}
	if name == topicWildcard {
		return span("topic-mention", name)
	}
	id, ok := o.mentioned(name)
	if !ok {
		return ""
	}
	u, _ := o.Users.Get(id)
	return span("user-mention", u.FullName, "data-user-id", strconv.Itoa(id))
}

// renderChannelLink renders a link to a channel or to a topic in it.
func (o *Organization) renderChannelLink(match []string) string {
	ch, ok := o.ChannelByName(match[1])
	if !ok {
		return ""
	}
	link := fmt.Sprintf("/#narrow/channel/%d-%s", ch.ID, EncodeFragment(strings.ReplaceAll(match[1], " ", "-")))
	if !strings.Contains(match[0], ">") {
		return tag("a", "class", "stream", "data-stream-id", strconv.Itoa(ch.ID), "href", link) + "#" + escapeMarkup(match[1]) + "</a>"
	}
	topic := escapeMarkup(match[2])
	link += "/topic/" + EncodeFragment(match[2])
	if ids := o.inTopic(ch.ID, match[2]); len(ids) > 0 && ch.SharedHistory {
		link += "/with/" + strconv.Itoa(ids[len(ids)-1])
	}
	if topic == "" {
		topic = "<em>" + EmptyTopicShownName + "</em>"
	}
	return tag("a", "class", "stream-topic", "data-stream-id", strconv.Itoa(ch.ID), "href", link) + "#" + escapeMarkup(match[1]) + " &gt; " + topic + "</a>"
}

// renderBracketedURL renders a URL in angle brackets, which stay.
func renderBracketedURL(match []string) string {
	return "&lt;" + tag("a", "href", match[1]) + escapeMarkup(match[1]) + "</a>&gt;"
}

// EncodeFragment writes a text as the web app does behind the # of a URL.
func EncodeFragment(text string) string {
	return strings.NewReplacer("%", ".", ".", ".2E").Replace(url.PathEscape(text))
}

// CustomEmojiImages is where the images of custom emoji are, each under its ID.
const CustomEmojiImages = "/user_avatars/1/emoji/images/"

// renderEmoji renders the name of an emoji between colons.
func (o *Organization) renderEmoji(match []string) string {
	syntax, name := match[0], match[1]
	title := strings.ReplaceAll(name, "_", " ")
	e, err := o.EmojiByName(name)
	switch {
	case err != nil:
		return ""
	case e.Type == StandardEmoji:
		return tag("span", "aria-label", title, "class", "emoji emoji-"+e.Code, "role", "img", "title", title) + syntax + "</span>"
	case e.Type == ExtraEmoji:
		return tag("img", "alt", syntax, "class", "emoji", "src", "/static/generated/emoji/images/emoji/unicode/zulip.png", "title", title)
	}
	custom, _ := o.activeCustomEmoji(name)
	return tag("img", "alt", syntax, "class", "emoji", "src", CustomEmojiImages+strconv.Itoa(custom.ID)+custom.Extension, "title", title)
}
