// Package hclfile reads the files that people write for audits and reviews, in the syntax of Terraform: blocks with
// attributes that refer to nothing.
//
// [Open] parses a file. A [Spec] says what it can have. The [Reader] collects every mistake with its line.
package hclfile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
)

// Reader reads one file.
type Reader struct {
	path  string
	fails []failure
}

type failure struct {
	line int
	text string
}

// Block is a block of a file.
type Block struct {
	Type   string
	Labels []string
	Line   int
	// Attributes and Blocks are in the order of the file.
	Attributes []*Attribute
	Blocks     []*Block
}

// Attribute is an attribute of a block.
type Attribute struct {
	Name string
	Line int

	expr hcl.Expression
}

// Open parses a file and returns its blocks in order. holds describes the blocks in messages. Blocks with a mistake of syntax are
// left out. The rest is read, so that its mistakes are reported too.
func Open(path string, content []byte, holds string) (*Reader, []*Block) {
	r := &Reader{path: path}
	parsed, problems := hclparse.NewParser().ParseHCL(content, path)
	r.report(problems)
	body, ok := parsed.Body.(*hclsyntax.Body)
	if !ok {
		r.Fail(1, "the file isn't in Terraform's syntax")
		return r, nil
	}
	var broken []hcl.Range
	for _, problem := range problems {
		// If an attribute is set twice, the first is read.
		if problem.Severity == hcl.DiagError && problem.Subject != nil && problem.Summary != "Attribute redefined" {
			broken = append(broken, *problem.Subject)
		}
	}
	if len(broken) == 0 {
		for _, one := range body.Attributes {
			r.Fail(one.NameRange.Start.Line, "%s is outside of a block: %s", suggest.Quote(one.Name), holds)
		}
	}
	var blocks []*Block
	for _, one := range body.Blocks {
		if !slices.ContainsFunc(broken, func(at hcl.Range) bool {
			return at.Start.Line >= one.Range().Start.Line && at.Start.Line <= one.Body.EndRange.End.Line
		}) {
			blocks = append(blocks, blockOf(one))
		}
	}
	return r, blocks
}

// blockOf reads a block.
func blockOf(from *hclsyntax.Block) *Block {
	block := &Block{Type: from.Type, Labels: from.Labels, Line: from.TypeRange.Start.Line}
	for _, one := range from.Body.Attributes {
		block.Attributes = append(block.Attributes, &Attribute{one.Name, one.NameRange.Start.Line, one.Expr})
	}
	slices.SortFunc(block.Attributes, func(a, b *Attribute) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name)) })
	block.Blocks = lists.Map(from.Body.Blocks, blockOf)
	return block
}

// Fail notes a mistake.
func (r *Reader) Fail(line int, format string, args ...any) {
	r.fails = append(r.fails, failure{line, fmt.Sprintf(format, args...)})
}

// Fails counts the mistakes so far.
func (r *Reader) Fails() int { return len(r.fails) }

// Err returns the mistakes, by line; nil if there are none.
func (r *Reader) Err() error {
	slices.SortStableFunc(r.fails, func(a, b failure) int { return cmp.Compare(a.line, b.line) })
	r.fails = slices.Compact(r.fails)
	return errors.Join(lists.Map(r.fails, func(one failure) error { return fmt.Errorf("%s:%d: %s", r.path, one.line, one.text) })...)
}

func (r *Reader) report(problems hcl.Diagnostics) {
	for _, problem := range problems {
		if problem.Severity != hcl.DiagError {
			continue
		}
		line := 1
		if problem.Subject != nil {
			line = problem.Subject.Start.Line
		}
		r.Fail(line, "%s: %s", problem.Summary, strings.ReplaceAll(problem.Detail, "\n", " "))
	}
}

// read reads the value of an attribute, which refers to nothing. must says what the value must be.
func read[T any](r *Reader, of *Attribute, must string, parse func(cty.Value) (T, bool)) T {
	value, problems := of.expr.Value(nil)
	r.report(problems)
	if problems.HasErrors() {
		var none T
		return none
	}
	parsed, ok := parse(value)
	if !ok {
		r.Fail(of.Line, "%s must be %s", of.Name, must)
	}
	return parsed
}

// Text reads a text that is not empty.
func (r *Reader) Text(of *Attribute) string {
	return read(r, of, "a text in quotes that isn't empty", textOf)
}

// Texts reads a list of texts that is not empty.
func (r *Reader) Texts(of *Attribute) []string {
	return read(r, of, "a list of texts that isn't empty", textsOf)
}

// TextOrTexts reads one text, or a list of them.
func (r *Reader) TextOrTexts(of *Attribute) []string {
	return read(r, of, "a text in quotes or a list of texts, and not empty", func(value cty.Value) ([]string, bool) {
		if text, ok := textOf(value); ok {
			return []string{text}, true
		}
		return textsOf(value)
	})
}

// Whole reads a whole number within the bounds of its spec.
func (r *Reader) Whole(of *Attribute, spec *Spec) int {
	bounds := spec.attribute(of.Name)
	must := fmt.Sprintf("a whole number of at least %d, without quotes", bounds.Least)
	number := read(r, of, must, func(value cty.Value) (number int, ok bool) {
		ok = !value.IsNull() && value.Type() == cty.Number && gocty.FromCtyValue(value, &number) == nil && number >= bounds.Least
		return number, ok
	})
	if bounds.Most > 0 && number > bounds.Most {
		r.Fail(of.Line, "%s must be at most %d", of.Name, bounds.Most)
	}
	return number
}

// Day reads a day, such as 2027-06-30. It also returns its first moment, in UTC.
func (r *Reader) Day(of *Attribute) (string, time.Time) {
	text := r.Text(of)
	day, err := time.Parse(time.DateOnly, text)
	if err != nil && text != "" {
		r.Fail(of.Line, "%s is %s, which isn't a date: write year, month and day, such as \"2027-06-30\"", of.Name, suggest.Quote(text))
	}
	return text, day
}

func textOf(value cty.Value) (string, bool) {
	if value.IsNull() || !value.Type().Equals(cty.String) || strings.TrimSpace(value.AsString()) == "" {
		return "", false
	}
	return value.AsString(), true
}

func textsOf(value cty.Value) (texts []string, ok bool) {
	if value.IsNull() || !value.Type().IsTupleType() || value.LengthInt() == 0 {
		return nil, false
	}
	for _, element := range value.AsValueSlice() {
		text, ok := textOf(element)
		if !ok {
			return nil, false
		}
		texts = append(texts, text)
	}
	return texts, true
}

// Spec is the specification of a block or a file.
type Spec struct {
	// Name is the type of the block; empty for a file.
	Name string
	// Label is an example of the name that the block takes; empty if it takes none.
	Label      string
	Attributes []AttributeSpec
	Blocks     []*Spec
}

// AttributeSpec is the specification of an attribute.
type AttributeSpec struct {
	Name string
	// Least and Most are the bounds of a number; Most is 0 if there is no maximum.
	Least, Most int
	// Missing says what to write in a block without the attribute; empty if the attribute is optional.
	Missing string
}

func (s *Spec) block(name string) *Spec {
	return lists.By(s.Blocks, func(one *Spec) string { return one.Name })[name]
}

func (s *Spec) blockNames() []string {
	return lists.Map(s.Blocks, func(one *Spec) string { return one.Name })
}

func (s *Spec) attribute(name string) *AttributeSpec {
	for i := range s.Attributes {
		if s.Attributes[i].Name == name {
			return &s.Attributes[i]
		}
	}
	return nil
}

// names are the names of the attributes, and of the blocks.
func (s *Spec) names() suggest.Names {
	attributes := lists.Map(s.Attributes, func(one AttributeSpec) string { return one.Name })
	return suggest.Names{Things: "attributes", All: append(attributes, s.blockNames()...)}
}

// Find returns the spec of a block in the spec of its parent; nil if there is none. It notes a mistake if the type is
// unknown, or the label is missing or not allowed.
//
// It reads a block with a misspelled type as the intended one, so that it finds the mistakes in the block too.
func (r *Reader) Find(block *Block, in *Spec) *Spec {
	spec := in.block(block.Type)
	if spec == nil {
		names := in.names()
		if in.Name == "" {
			names.Things = "blocks"
			r.Fail(block.Line, "there is no block %s%s", suggest.Quote(block.Type), names.Suggest(block.Type))
		} else {
			r.Fail(block.Line, "%s has no block %s%s", in.Name, suggest.Quote(block.Type), names.Suggest(block.Type))
		}
		if near := suggest.Nearest(block.Type, in.blockNames()); len(near) == 1 {
			return in.block(near[0])
		}
		return nil
	}
	switch hasName := len(block.Labels) == 1 && strings.TrimSpace(block.Labels[0]) != ""; {
	case spec.Label != "" && !hasName:
		r.Fail(block.Line, "%s takes one name, as in %s %s { … }", spec.Name, spec.Name, suggest.Quote(spec.Label))
	case spec.Label == "" && len(block.Labels) > 0:
		r.Fail(block.Line, "%s takes no name: write %s { … }", spec.Name, spec.Name)
	}
	return spec
}

// Has are the attributes and blocks of a block, misspelled ones included: they are not missing.
type Has map[string]bool

// Any reports whether any of these is set.
func (h Has) Any(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return h[name] })
}

// Check notes unknown attributes and blocks, and missing attributes. It returns the names that are set, and the attributes and
// blocks to read.
func (r *Reader) Check(block *Block, spec *Spec) (has Has, attributes []*Attribute, blocks []*Block) {
	has = Has{}
	for _, one := range block.Attributes {
		has[one.Name] = true
		switch {
		case spec.attribute(one.Name) != nil:
			attributes = append(attributes, one)
		case spec.block(one.Name) != nil:
			r.Fail(one.Line, "%s is a block: write %s { … }, without =", one.Name, one.Name)
		default:
			r.Fail(one.Line, "%s has no attribute %s%s", spec.Name, suggest.Quote(one.Name), spec.names().Suggest(one.Name))
			for _, near := range suggest.Nearest(one.Name, spec.names().All) {
				has[near] = true
			}
		}
	}
	for _, one := range block.Blocks {
		has[one.Type] = true
		if inner := r.Find(one, spec); inner != nil {
			has[inner.Name] = true
			blocks = append(blocks, one)
		}
	}
	for _, one := range spec.Attributes {
		if one.Missing != "" && !has[one.Name] {
			r.Fail(block.Line, "%s is missing: %s", one.Name, one.Missing)
		}
	}
	return has, attributes, blocks
}
