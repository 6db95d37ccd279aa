package export

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// first are the first attributes of a resource, in this order. Permissions are last, after an empty line.
var first = []string{
	"name", "short_name", "full_name", "field_type", "subtype", "user", "channel", "domain", "pattern", "pygments_language",
	"description", "hint", "role", "on_destroy", "privacy", "folder", "folder_id", "url_template",
}

// longestLine is the maximum length of a list in one line.
const longestLine = 100

// render returns the files of the export by their names. Each block is formatted by itself: the tokens of a whole file take a
// hundred times its size.
func (e *export) render(ctx context.Context) (map[string][]byte, error) {
	files := map[string][]byte{"terraform.tf": []byte(settingsFile)}
	bodies := map[string]*bytes.Buffer{}
	if len(e.people) > 0 {
		bodies[peopleFile] = &bytes.Buffer{}
		writeBlock(bodies[peopleFile], func(block *hclwrite.Body) {
			comment(block, peopleTitle)
			block.AppendNewline()
			e.writePeople(block)
		})
	}
	imports := &bytes.Buffer{}
	writeBlock(imports, func(block *hclwrite.Body) { comment(block, importsTitle) })
	for _, kind := range kinds {
		for _, o := range e.inOrder(kind) {
			body, ok := bodies[o.file]
			if !ok {
				body = &bytes.Buffer{}
				writeBlock(body, func(block *hclwrite.Body) { comment(block, e.titleOf(o)) })
				bodies[o.file] = body
			}
			body.WriteString("\n")
			writeBlock(body, func(block *hclwrite.Body) { e.resource(block, o) })
			imports.WriteString("\n")
			writeBlock(imports, func(block *hclwrite.Body) { e.addImport(block, o) })
		}
	}
	for name, file := range bodies {
		files[name+".tf"] = file.Bytes()
	}
	files["imports.tf"] = imports.Bytes()
	if e.rules != nil {
		files[rulesName] = e.rules.Text
	}
	files["EXPORT.md"] = e.summary()
	if err := e.addImages(ctx, files); err != nil {
		return nil, err
	}
	return files, nil
}

// importsTitle is the comment at the head of the imports. Terraform refuses every plan with an import block whose
// resource was removed or moved, even if for_each is empty. So no expression in the block helps.
const importsTitle = "The objects of the resources on the server. Remove this file after the first apply: plans fail while it has a block\nwhose resource was removed, renamed or moved."

// peopleFile is the file with people, without its extension, and peopleTitle the comment at its head.
const (
	peopleFile  = "people"
	peopleTitle = "Users, and their roles unless these are member."
)

// writeBlock adds what fill writes to a file.
func writeBlock(file *bytes.Buffer, fill func(*hclwrite.Body)) {
	block := hclwrite.NewEmptyFile()
	fill(block.Body())
	file.Write(hclwrite.Format(block.Bytes()))
}

// settingsFile is the file with the required provider.
const settingsFile = `# Environment variables configure the provider: ZULIP_SITE, ZULIP_EMAIL, ZULIP_API_KEY.
terraform {
  required_version = ">= 1.5"

  required_providers {
    zulip = {
      source = "zulip-iac/zulip"
    }
  }
}
`

// inOrder returns the objects of a kind by their names.
func (e *export) inOrder(k *kind) []*object {
	var found []*object
	for _, o := range e.objects {
		if o.kind == k {
			found = append(found, o)
		}
	}
	slices.SortFunc(found, func(a, b *object) int { return strings.Compare(a.name, b.name) })
	return found
}

// titleOf returns the comment at the head of an object's file.
func (e *export) titleOf(o *object) string {
	if id := o.text("folder_id"); o.kind.resource == "zulip_channel" && o.file != o.kind.file {
		return fmt.Sprintf("The channels in the folder %q.", visible(e.folderName(id)))
	}
	for _, kind := range kinds {
		if kind.file == o.file && kind.title != "" {
			return kind.title
		}
	}
	return ""
}

func (e *export) addImport(body *hclwrite.Body, o *object) {
	block := body.AppendNewBlock("import", nil).Body()
	to := traversal(o.kind.resource, o.name)
	if e.count(o) != "" {
		to = append(to, hcl.TraverseIndex{Key: cty.NumberIntVal(0)})
	}
	block.SetAttributeTraversal("to", to)
	block.SetAttributeValue("id", cty.StringVal(o.importID))
}

// resource writes one resource.
func (e *export) resource(body *hclwrite.Body, o *object) {
	block := body.AppendNewBlock("resource", []string{o.kind.resource, o.name}).Body()
	if count := e.count(o); count != "" {
		block.SetAttributeRaw("count", expression(count))
		block.AppendNewline()
	}
	settings, permissions := []string{}, []string{}
	for name := range o.config {
		if e.isPermission(o.kind, name) {
			permissions = append(permissions, name)
		} else {
			settings = append(settings, name)
		}
	}
	slices.SortFunc(settings, func(a, b string) int { return cmp.Or(cmp.Compare(position(a), position(b)), cmp.Compare(a, b)) })
	slices.Sort(permissions)
	for i, name := range append(settings, permissions...) {
		if i == len(settings) && i > 0 {
			block.AppendNewline()
		}
		comment(block, o.comments[name])
		block.SetAttributeRaw(name, e.attribute(o, name))
	}
	if before := e.comesAfter(o); len(before) > 0 {
		block.AppendNewline()
		comment(block, "In another organization, create these first: its settings might not let the account create them later.")
		block.SetAttributeRaw("depends_on", lines(before))
	}
}

// attribute writes the value of an attribute. It removes people that a variable may leave out from lists. If no one
// remains, the attribute is left unset if the applying account may need it in the organization, or if it cannot be
// empty.
func (e *export) attribute(o *object, name string) hclwrite.Tokens {
	value, links := o.config[name], o.links[name]
	var elements []tftypes.Value
	isPerson := func(v tftypes.Value) bool { return links[textOf(v)].person != nil }
	if e.PeopleAs != PeopleAsVariable || o.kind.resource == "zulip_channel_subscribers" || !value.Type().Is(tftypes.Set{}) && !value.Type().Is(tftypes.List{}) || value.As(&elements) != nil || !slices.ContainsFunc(elements, isPerson) {
		return o.expression(value, links, name)
	}
	slices.SortFunc(elements, func(a, b tftypes.Value) int { return strings.Compare(textOf(a), textOf(b)) })
	if value.Type().Is(tftypes.Set{}) { // whose order has no meaning, so people who are always listed come first
		slices.SortStableFunc(elements, func(a, b tftypes.Value) int {
			switch {
			case isPerson(a) == isPerson(b):
				return 0
			case isPerson(b):
				return -1
			}
			return 1
		})
	}
	var parts []hclwrite.Tokens
	for len(elements) > 0 {
		length := slices.IndexFunc(elements, func(element tftypes.Value) bool { return isPerson(element) != isPerson(elements[0]) })
		if length < 0 {
			length = len(elements)
		}
		parts = append(parts, o.part(elements[:length], links, name))
		elements = elements[length:]
	}
	present := parts[0]
	permission, isPermission := e.realm.SupportedPermissions[o.kind.permissions][name]
	switch {
	case len(parts) > 1:
		return hclwrite.TokensForFunctionCall("concat", parts...)
	case isPermission && (o.kind.permissions == "realm" || !permission.AllowNobodyGroup):
		return hclwrite.TokensForFunctionCall("try", hclwrite.TokensForFunctionCall("coalescelist", present), hclwrite.TokensForValue(cty.NullVal(cty.DynamicPseudoType)))
	}
	return present
}

// part writes elements of a list that are all people whom a variable may leave out, or all others.
func (o *object) part(elements []tftypes.Value, links map[string]link, name string) hclwrite.Tokens {
	var tokens []hclwrite.Tokens
	length, arePeople := len(name), false
	for _, element := range elements {
		one := o.expression(element, links, "")
		if link := links[textOf(element)]; link.person != nil {
			one, arePeople = link.optional(), true
		}
		length += len(one.Bytes()) + 2
		tokens = append(tokens, one)
	}
	if !arePeople {
		return hclwrite.TokensForTuple(tokens)
	}
	list := hclwrite.TokensForTuple(tokens)
	if length > longestLine {
		list = lines(tokens)
	}
	return hclwrite.TokensForFunctionCall("compact", list)
}

func position(attribute string) int {
	if i := slices.Index(first, attribute); i >= 0 {
		return i
	}
	return len(first)
}

// unordered are the lists without a meaningful order. They are written in the order in which the provider reads them,
// so that a change shows only the changed people.
var unordered = []string{"users", "members", "subgroups"}

// onOneLine joins a list that has a line for each element.
var onOneLine = strings.NewReplacer("[\n", "[", ",\n]", "]", ",\n", ", ")

// plain returns a value as a configuration writes it without references, on one line.
func (o *object) plain(value tftypes.Value) string {
	return onOneLine.Replace(strings.TrimSpace(string(o.expression(value, nil, "").Bytes())))
}

// expression writes the value of an attribute, or of a part of one, with links instead of the names of other objects.
func (o *object) expression(value tftypes.Value, links map[string]link, attribute string) hclwrite.Tokens {
	kind := value.Type()
	switch {
	case value.IsNull():
		return hclwrite.TokensForValue(cty.NullVal(cty.DynamicPseudoType))
	case kind.Is(tftypes.String), kind.Is(tftypes.Number):
		if link, ok := links[textOf(value)]; ok {
			return link.tokens()
		}
		if kind.Is(tftypes.Number) {
			return hclwrite.TokensForValue(cty.NumberVal(numberOf(value)))
		}
		if file, ok := strings.CutPrefix(textOf(value), moduleRelative); ok && o.kind.hasFile() {
			return inText("", traversal("path", "module"), "/"+file)
		}
		return hclwrite.TokensForValue(cty.StringVal(textOf(value)))
	case kind.Is(tftypes.Bool):
		var is bool
		_ = value.As(&is) // it is one
		return hclwrite.TokensForValue(cty.BoolVal(is))
	}
	var attributes map[string]tftypes.Value
	if value.As(&attributes) == nil {
		return o.object(attributes, links)
	}
	var elements []tftypes.Value
	_ = value.As(&elements) // no other type is left
	if kind.Is(tftypes.Set{}) || slices.Contains(unordered, attribute) {
		slices.SortFunc(elements, func(a, b tftypes.Value) int { return strings.Compare(textOf(a), textOf(b)) })
	}
	tokens := make([]hclwrite.Tokens, 0, len(elements))
	length := len(attribute)
	for _, element := range elements {
		one := o.expression(element, links, "")
		length += len(one.Bytes()) + 2
		if element.Type().Is(tftypes.Object{}) {
			length += longestLine // a line for each
		}
		tokens = append(tokens, one)
	}
	if length > longestLine {
		return lines(tokens)
	}
	return hclwrite.TokensForTuple(tokens)
}

// object writes an object or map in one line, without null values.
func (o *object) object(attributes map[string]tftypes.Value, links map[string]link) hclwrite.Tokens {
	tokens := hclwrite.Tokens{{Type: hclsyntax.TokenOBrace, Bytes: []byte("{")}}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if attributes[name].IsNull() {
			continue
		}
		if len(tokens) > 1 {
			tokens = append(tokens, &hclwrite.Token{Type: hclsyntax.TokenComma, Bytes: []byte(",")})
		}
		key := hclwrite.TokensForIdentifier(name)
		if !hclsyntax.ValidIdentifier(name) {
			key = hclwrite.TokensForValue(cty.StringVal(name))
		}
		tokens = append(append(tokens, key...), &hclwrite.Token{Type: hclsyntax.TokenEqual, Bytes: []byte("=")})
		tokens = append(tokens, o.expression(attributes[name], links, "")...)
	}
	return append(tokens, &hclwrite.Token{Type: hclsyntax.TokenCBrace, Bytes: []byte("}")})
}

// lines writes a list with each element in a line of its own.
func lines(elements []hclwrite.Tokens) hclwrite.Tokens {
	newline := &hclwrite.Token{Type: hclsyntax.TokenNewline, Bytes: []byte("\n")}
	tokens := hclwrite.Tokens{{Type: hclsyntax.TokenOBrack, Bytes: []byte("[")}, newline}
	for _, element := range elements {
		tokens = append(append(tokens, element...), &hclwrite.Token{Type: hclsyntax.TokenComma, Bytes: []byte(",")}, newline)
	}
	return append(tokens, &hclwrite.Token{Type: hclsyntax.TokenCBrack, Bytes: []byte("]")})
}

// tokens writes the reference: by itself, or in a text after its prefix.
func (l link) tokens() hclwrite.Tokens {
	var reference hcl.Traversal
	if l.person == nil {
		reference = traversal(l.to.kind.resource, l.to.name, l.by)
	} else {
		reference = traversal("local", "people", l.person.key)
	}
	if l.prefix == "" {
		return hclwrite.TokensForTraversal(reference)
	}
	return inText(l.prefix, reference, "")
}

// optional writes a person who is null if a variable leaves them out.
func (l link) optional() hclwrite.Tokens {
	from := "people"
	if l.prefix != "" {
		from = "principals"
	}
	return hclwrite.TokensForTraversal(traversal("local", from, l.person.key))
}

// inText writes a reference in a text.
func inText(before string, reference hcl.Traversal, after string) hclwrite.Tokens {
	tokens := hclwrite.Tokens{
		{Type: hclsyntax.TokenOQuote, Bytes: []byte(`"`)},
		{Type: hclsyntax.TokenQuotedLit, Bytes: []byte(before)},
		{Type: hclsyntax.TokenTemplateInterp, Bytes: []byte("${")},
	}
	tokens = append(tokens, hclwrite.TokensForTraversal(reference)...)
	return append(tokens,
		&hclwrite.Token{Type: hclsyntax.TokenTemplateSeqEnd, Bytes: []byte("}")},
		&hclwrite.Token{Type: hclsyntax.TokenQuotedLit, Bytes: []byte(after)},
		&hclwrite.Token{Type: hclsyntax.TokenCQuote, Bytes: []byte(`"`)})
}

func traversal(root string, attributes ...string) hcl.Traversal {
	all := hcl.Traversal{hcl.TraverseRoot{Name: root}}
	for _, name := range attributes {
		all = append(all, hcl.TraverseAttr{Name: name})
	}
	return all
}

// comment writes a comment; nothing for "".
func comment(body *hclwrite.Body, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		body.AppendUnstructuredTokens(hclwrite.Tokens{{Type: hclsyntax.TokenComment, Bytes: []byte("# " + line + "\n")}})
	}
}

// The maximum length of a name and of a sentence from a server, in characters. The server's own names are shorter.
const (
	longestName     = 300
	longestSentence = 2000
)

// visible returns a name in one line, without characters that are invisible or change the direction, and truncated if
// it is too long.
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

// inCode returns a name as Markdown code, between more backticks than it contains.
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
		name = " " + name + " " // Markdown removes one on each side
	}
	return fence + name + fence
}

// hasMeaning matches the characters with a meaning within a line of Markdown, and the URLs that a page turns into
// links. Lines begin with our own text, so characters that only matter at the start of a line need no backslash.
var hasMeaning = regexp.MustCompile("[\\\\`*_\\[\\]<|~#@$^]|&[#A-Za-z]|://|(?i:www)\\.")

// escaped returns a sentence as Markdown text, in which a backslash escapes characters.
func escaped(sentence string) string {
	return hasMeaning.ReplaceAllStringFunc(visibleUpTo(longestSentence, sentence), func(found string) string {
		if www, ok := strings.CutSuffix(found, "."); ok {
			return www + `\.`
		}
		return `\` + found
	})
}
