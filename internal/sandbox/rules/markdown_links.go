package rules

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yosida95/uritemplate/v3"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// linkTransformer applies the linkifiers to the text of a document, and shows linked images.
type linkTransformer struct{ o *Organization }

// Transform implements parser.ASTTransformer.
func (l linkTransformer) Transform(document *ast.Document, reader text.Reader, _ parser.Context) {
	var texts []*ast.Text
	var refused []*ast.Link
	images := map[ast.Node][]imagePreview{} // by the block of the document that links to them
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.CodeSpan, *ast.Blockquote:
			return ast.WalkSkipChildren, nil
		case *ast.Link:
			if address, err := url.Parse(string(node.Destination)); err != nil || !slices.Contains(linkedSchemes, address.Scheme) {
				refused = append(refused, node)
			} else {
				addImage(images, node, string(node.Destination), textOf(node, reader.Source()))
			}
			return ast.WalkSkipChildren, nil
		case *ast.AutoLink:
			addImage(images, node, string(node.URL(reader.Source())), "")
		case *ast.Text:
			texts = append(texts, node)
		}
		return ast.WalkContinue, nil
	})
	for _, link := range refused {
		written := fmt.Sprintf("[%s](%s)", textOf(link, reader.Source()), link.Destination)
		link.Parent().ReplaceChild(link.Parent(), link, htmlNode(escapeText(written)))
	}
	for _, node := range texts {
		l.o.linkify(node, reader.Source())
	}
	if !l.o.Settings().InlineImagePreview {
		return
	}
	for block, previews := range images {
		if _, isLink := block.FirstChild().(*ast.AutoLink); isLink && block.ChildCount() == 1 && block.Kind() == ast.KindParagraph {
			document.ReplaceChild(document, block, previewBlock(previews[0]))
			continue
		}
		for _, preview := range slices.Backward(previews) {
			document.InsertAfter(document, block, previewBlock(preview))
		}
	}
}

// linkedSchemes are the schemes that become links, "" for URLs of the server.
var linkedSchemes = []string{"", "http", "https", "ftp", "file", "mailto", "tel", "sms", "bitcoin", "magnet", "irc", "ircs", "news", "sip", "xmpp"}

// textOf is the text inside a node.
func textOf(node ast.Node, source []byte) string {
	var text strings.Builder
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		if leaf, ok := child.(*ast.Text); ok {
			text.Write(leaf.Segment.Value(source))
		} else {
			text.WriteString(textOf(child, source))
		}
	}
	return text.String()
}

// imagePreview is a link to an image, and the link's text if it differs.
type imagePreview struct{ url, title string }

func previewBlock(preview imagePreview) ast.Node {
	attributes := []string{"href", preview.url}
	if preview.title != "" {
		attributes = append(attributes, "title", preview.title)
	}
	block := ast.NewTextBlock()
	block.AppendChild(block, htmlNode(tag("div", "class", "message_inline_image")+tag("a", attributes...)+tag("img", "src", preview.url)+"</a></div>"))
	return block
}

// addImage notes a link to an image.
func addImage(images map[ast.Node][]imagePreview, node ast.Node, link, title string) {
	address, err := url.Parse(link)
	if err != nil || !slices.Contains(previewedImages, strings.ToLower(path.Ext(address.Path))) {
		return
	}
	for node.Parent() != nil && node.Parent().Kind() != ast.KindDocument {
		node = node.Parent()
	}
	if !slices.ContainsFunc(images[node], func(known imagePreview) bool { return known.url == link }) {
		images[node] = append(images[node], imagePreview{link, title})
	}
}

// previewedImages are the extensions of images with a preview.
var previewedImages = strings.Fields(".bmp .gif .jpe .jpeg .jpg .png .webp")

// linkify turns matches of the linkifiers into links. A match must not touch a word.
func (o *Organization) linkify(node *ast.Text, source []byte) {
	value := string(node.Segment.Value(source))
	found := o.linksIn(value)
	if len(found) == 0 {
		return
	}
	parent, at := node.Parent(), 0
	for _, link := range found {
		parent.InsertBefore(parent, node, htmlNode(escapeText(value[at:link.start])))
		parent.InsertBefore(parent, node, htmlNode(tag("a", "href", link.URL)+escapeMarkup(link.Text)+"</a>"))
		at = link.end
	}
	node.Segment = node.Segment.WithStart(node.Segment.Start + at)
}

// Link is a link from a linkifier.
type Link struct {
	Text, URL  string
	start, end int
}

// linksIn returns the matches of the linkifiers in a text, in its order. If two overlap, the earlier linkifier wins.
func (o *Organization) linksIn(text string) []Link {
	var links []Link
	for _, l := range o.ListLinkifiers() {
		pattern, err := regexp.Compile(l.Pattern)
		if err != nil {
			continue // no linkifier has this ID
		}
		for _, match := range pattern.FindAllStringSubmatchIndex(text, -1) {
			start, end := match[0], match[1]
			inWord := start > 0 && !strings.ContainsAny(text[start-1:start], " \n\t'\"(,:<") || end < len(text) && isWordByte(text[end])
			overlaps := slices.ContainsFunc(links, func(other Link) bool { return start < other.end && other.start < end })
			if start == end || inWord || overlaps {
				continue
			}
			values := uritemplate.Values{}
			for i, name := range pattern.SubexpNames() {
				if name != "" && match[2*i] >= 0 {
					values.Set(name, uritemplate.String(text[match[2*i]:match[2*i+1]]))
				}
			}
			if address, ok := linkAddress(expandURLTemplate(l.URLTemplate, values)); ok {
				links = append(links, Link{Text: text[start:end], URL: address, start: start, end: end})
			}
		}
	}
	slices.SortFunc(links, func(a, b Link) int { return a.start - b.start })
	return links
}

// linkAddress returns the address of a link to a URL. ok is false if the URL does not become a link (server-behavior §L12).
func linkAddress(link string) (address string, ok bool) {
	parts, err := url.Parse(link)
	switch {
	case err != nil:
		return link, true
	case parts.Scheme != "":
		return link, slices.Contains(linkedSchemes, parts.Scheme)
	case parts.Host == "" && strings.Contains(parts.Path, "@"):
		return "mailto:" + link, true
	case parts.Host == "" && strings.HasPrefix(parts.Path, "/"), strings.HasPrefix(link, "#"):
		return link, true
	}
	return "http://" + strings.TrimPrefix(link, "//"), true
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80
}
