package rules

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	markdownhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Render converts Markdown to HTML, nearly like the server does
// (https://zulip.com/help/format-your-message-using-markdown). It does not highlight code or show formulas and times, and
// nests lists by the rules of CommonMark.
func (o *Organization) Render(markdown string) string {
	if strings.TrimSpace(markdown) == "" {
		return ""
	}
	if o.isPlain(markdown) {
		return "<p>" + markdown + "</p>"
	}
	var out bytes.Buffer
	if err := o.markdown.Convert([]byte(markdown), &out); err != nil {
		return "<p>" + escapeText(markdown) + "</p>" // a buffer never fails
	}
	return strings.TrimSpace(out.String())
}

// isPlain reports whether a text contains no markup. Most descriptions of channels are plain, and they are rendered often.
func (o *Organization) isPlain(markdown string) bool {
	first := markdown[0] | 0x20
	return first >= 'a' && first <= 'z' && !strings.ContainsAny(markdown, "\n\t\\`*_~<>&[]#@:|+=$/") &&
		!strings.Contains(markdown, "www.") && !strings.Contains(markdown, "  ") && strings.TrimSpace(markdown) == markdown && o.Linkifiers.Len() == 0
}

// newMarkdown is the server's Markdown: CommonMark without HTML, underlined headings, underscores, references and escapes, with
// the server's own syntax.
func (o *Organization) newMarkdown() goldmark.Markdown {
	blocks := []util.PrioritizedValue{
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(parser.NewListParser(), 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(parser.NewBlockquoteParser(), 800),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	}
	inlines := []util.PrioritizedValue{
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(inlineSyntax{'@', mentionSyntax, o.renderMention}, 150),
		util.Prioritized(inlineSyntax{'#', channelSyntax, o.renderChannelLink}, 150),
		util.Prioritized(inlineSyntax{':', emojiSyntax, o.renderEmoji}, 150),
		util.Prioritized(parser.NewLinkParser(), 200),
		util.Prioritized(inlineSyntax{'<', bracketedURL, renderBracketedURL}, 300),
		util.Prioritized(starEmphasis{parser.NewEmphasisParser()}, 500),
		util.Prioritized(plainURL{extension.NewLinkifyParser()}, 999),
	}
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(blocks...), parser.WithInlineParsers(inlines...),
			parser.WithASTTransformers(util.Prioritized(linkTransformer{o}, 500)),
		)),
		goldmark.WithExtensions(extension.Strikethrough, extension.Table),
		goldmark.WithRendererOptions(
			markdownhtml.WithHardWraps(), markdownhtml.WithWriter(textWriter{}),
			renderer.WithNodeRenderers(util.Prioritized(codeRenderer{o}, 100)),
		),
	)
}

// starEmphasis is emphasis by stars alone.
type starEmphasis struct{ parser.InlineParser }

// Trigger is part of parser.InlineParser.
func (starEmphasis) Trigger() []byte { return []byte{'*'} }

// plainURL is a URL without markup. The server does not recognize it right after a star.
type plainURL struct{ parser.InlineParser }

// Parse is part of parser.InlineParser.
func (p plainURL) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if line, _ := block.PeekLine(); block.PrecendingCharacter() == '*' && !strings.ContainsRune(" (~", rune(line[0])) {
		return nil
	}
	return p.InlineParser.Parse(parent, block, pc)
}

// textWriter writes text like the server does, with quotes and backslashes unchanged.
type textWriter struct{}

// Write is part of html.Writer.
func (textWriter) Write(w util.BufWriter, source []byte) {
	_, _ = w.WriteString(escapeText(string(source)))
}

// RawWrite is part of html.Writer.
func (t textWriter) RawWrite(w util.BufWriter, source []byte) {
	_, _ = w.WriteString(escapeMarkup(string(source)))
}

// SecureWrite is part of html.Writer.
func (t textWriter) SecureWrite(w util.BufWriter, source []byte) { t.RawWrite(w, source) }

// escapeText escapes text, except entities.
func escapeText(plain string) string {
	return escapedEntity.ReplaceAllString(escapeMarkup(plain), "&$1;")
}

var escapedEntity = regexp.MustCompile(`&amp;(#[0-9]+|#x[0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);`)

// escapeCode escapes like the server's highlighter does.
var escapeCode = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace

var escapeMarkup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace

// codeRenderer renders code, and the blocks that are written like code: quotes and spoilers.
type codeRenderer struct{ o *Organization }

// RegisterFuncs is part of renderer.NodeRenderer.
func (c codeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindCodeBlock, c.render)
	r.Register(ast.KindFencedCodeBlock, c.render)
}

func (c codeRenderer) render(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	var code strings.Builder
	for i := range node.Lines().Len() {
		line := node.Lines().At(i)
		code.Write(line.Value(source))
	}
	var info string
	if fenced, ok := node.(*ast.FencedCodeBlock); ok && fenced.Info != nil {
		info = string(fenced.Info.Value(source))
	}
	language, rest, _ := strings.Cut(info, " ")
	switch language {
	case "quote":
		_, _ = w.WriteString("<blockquote>\n" + c.o.Render(code.String()) + "\n</blockquote>\n")
	case "spoiler":
		header := c.o.Render(rest)
		if header != "" {
			header += "\n"
		}
		_, _ = w.WriteString(`<div class="spoiler-block"><div class="spoiler-header">` + "\n" + header +
			`</div><div class="spoiler-content" aria-hidden="true">` + "\n" + c.o.Render(code.String()) + "\n</div></div>\n")
	default:
		_, _ = w.WriteString(`<div class="codehilite"`)
		if language != "" && language != "text" {
			_, _ = w.WriteString(` data-code-language="` + html.EscapeString(language) + `"`)
		}
		_, _ = w.WriteString("><pre><span></span><code>" + escapeCode(strings.Trim(code.String(), "\n")) + "\n</code></pre></div>\n")
	}
	return ast.WalkSkipChildren, nil
}

// The server's own syntax inside of a line, each from its first character on.
var (
	mentionSyntax = regexp.MustCompile(`^@(_?)(?:\*\*([^*\n]+)\*\*|\*([^*\n]+)\*)`)
	channelSyntax = regexp.MustCompile(`^#\*\*([^*>\n]+)(?:>([^*\n]*))?\*\*`)
	emojiSyntax   = regexp.MustCompile(`^:([\w+-]+):`)
	bracketedURL  = regexp.MustCompile(`^<(https?://[^\s<>]+)>`)
)

// inlineSyntax parses text that begins with a character and matches a pattern. render returns "" if it remains text.
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
	node.SetCode(true) // written unchanged
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

// renderMention renders a mention of a person, of everyone, or of a group; "_" means a silent one.
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

// renderBracketedURL renders a URL in angle brackets, which remain.
func renderBracketedURL(match []string) string {
	return "&lt;" + tag("a", "href", match[1]) + escapeMarkup(match[1]) + "</a>&gt;"
}

// EncodeFragment encodes a text like the web app does after the # of a URL.
func EncodeFragment(text string) string {
	return strings.NewReplacer("%", ".", ".", ".2E").Replace(url.PathEscape(text))
}

// CustomEmojiImages is the path of the images of custom emoji, each under its ID.
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
