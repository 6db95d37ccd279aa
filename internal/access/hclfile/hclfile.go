// Package hclfile reads the files that people write for audits and reviews, in the syntax of Terraform: blocks with attributes that
// refer to nothing. A [Reader] collects every mistake with its line.
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

// Open parses a file. holds says what it has blocks of, as messages say it. The blocks are in the order of the file.
func Open(path string, content []byte, holds string) (*Reader, hclsyntax.Blocks) {
	r := &Reader{path: path}
	parsed, problems := hclparse.NewParser().ParseHCL(content, path)
	r.report(problems)
	if problems.HasErrors() {
		return r, nil
	}
	body, ok := parsed.Body.(*hclsyntax.Body)
	if !ok {
		r.Fail(1, "it is no file in the syntax of Terraform")
		return r, nil
	}
	for _, one := range body.Attributes {
		r.Fail(one.NameRange.Start.Line, "%s stands outside of a block: %s", suggest.Quote(one.Name), holds)
	}
	return r, body.Blocks
}

// Path is where the file is.
func (r *Reader) Path() string { return r.path }

// Fail notes a mistake.
func (r *Reader) Fail(line int, format string, args ...any) {
	r.fails = append(r.fails, failure{line, fmt.Sprintf(format, args...)})
}

// Fails counts the mistakes so far.
func (r *Reader) Fails() int { return len(r.fails) }

// Err returns the mistakes, by line; nil if there are none.
func (r *Reader) Err() error {
	slices.SortStableFunc(r.fails, func(a, b failure) int { return cmp.Compare(a.line, b.line) })
	all := make([]error, len(r.fails))
	for i, one := range r.fails {
		all[i] = fmt.Errorf("%s:%d: %s", r.path, one.line, one.text)
	}
	return errors.Join(all...)
}

func (r *Reader) report(problems hcl.Diagnostics) {
	for _, problem := range problems {
		line := 1
		if problem.Subject != nil {
			line = problem.Subject.Start.Line
		}
		r.Fail(line, "%s: %s", problem.Summary, problem.Detail)
	}
}

// value returns the value of an attribute, which refers to nothing.
func (r *Reader) value(of *hclsyntax.Attribute) (cty.Value, bool) {
	value, problems := of.Expr.Value(nil)
	r.report(problems)
	return value, !problems.HasErrors()
}

// Text reads a text that is not empty.
func (r *Reader) Text(of *hclsyntax.Attribute) string {
	value, ok := r.value(of)
	if !ok {
		return ""
	}
	text, ok := textOf(value)
	if !ok {
		r.Fail(of.NameRange.Start.Line, "%s has to be a text in quotes that is not empty", of.Name)
	}
	return text
}

// Texts reads a list of texts that is not empty.
func (r *Reader) Texts(of *hclsyntax.Attribute) []string {
	value, ok := r.value(of)
	if !ok {
		return nil
	}
	texts, ok := textsOf(value)
	if !ok {
		r.Fail(of.NameRange.Start.Line, "%s has to be a list of texts that is not empty", of.Name)
	}
	return texts
}

// TextOrTexts reads one text, or a list of them.
func (r *Reader) TextOrTexts(of *hclsyntax.Attribute) []string {
	value, ok := r.value(of)
	if !ok {
		return nil
	}
	if text, ok := textOf(value); ok {
		return []string{text}
	}
	texts, ok := textsOf(value)
	if !ok {
		r.Fail(of.NameRange.Start.Line, "%s has to be a text in quotes or a list of them, and not empty", of.Name)
	}
	return texts
}

// Number reads a whole number of at least some other one.
func (r *Reader) Number(of *hclsyntax.Attribute, least int) int {
	value, ok := r.value(of)
	if !ok {
		return 0
	}
	number := 0
	if value.IsNull() || value.Type() != cty.Number || gocty.FromCtyValue(value, &number) != nil || number < least {
		r.Fail(of.NameRange.Start.Line, "%s has to be a whole number of at least %d, without quotes", of.Name, least)
	}
	return number
}

// Day reads a day, such as 2027-06-30. It also returns its first moment, in UTC.
func (r *Reader) Day(of *hclsyntax.Attribute) (string, time.Time) {
	text := r.Text(of)
	day, err := time.Parse(time.DateOnly, text)
	if err != nil && text != "" {
		r.Fail(of.NameRange.Start.Line, "%s is %s, which is no date: write year, month and day, such as \"2027-06-30\"", of.Name, suggest.Quote(text))
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
