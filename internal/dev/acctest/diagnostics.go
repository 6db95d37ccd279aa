package acctest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Diagnostic is an error or a warning that the provider reports.
type Diagnostic struct {
	IsError         bool
	Attribute       string // the outermost it points at; "" for none
	Summary, Detail string
}

// String writes the diagnostic as a person would see it.
func (d Diagnostic) String() string {
	kind := "warning"
	if d.IsError {
		kind = "error"
	}
	return fmt.Sprintf("%s (%s): %s\n%s", kind, d.Attribute, d.Summary, d.Detail)
}

// says reports whether the diagnostic points at the attribute, and its text holds all the words.
func (d Diagnostic) says(attribute string, words []string) bool {
	text := d.Summary + "\n" + d.Detail
	return d.Attribute == attribute && !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// Diagnostics are what one or more calls report.
type Diagnostics []Diagnostic

// Errors are those that stop the CLI.
func (d Diagnostics) Errors() Diagnostics { return d.filter(true) }

// Warnings are those that do not.
func (d Diagnostics) Warnings() Diagnostics { return d.filter(false) }

func (d Diagnostics) filter(errors bool) Diagnostics {
	return slices.DeleteFunc(slices.Clone(d), func(one Diagnostic) bool { return one.IsError != errors })
}

// String writes all of them.
func (d Diagnostics) String() string {
	texts := make([]string, len(d))
	for i, one := range d {
		texts[i] = one.String()
	}
	return strings.Join(texts, "\n\n")
}

// ExpectNoError fails the test if there is an error.
func (d Diagnostics) ExpectNoError(t testing.TB) {
	t.Helper()
	if errors := d.Errors(); len(errors) > 0 {
		t.Fatalf("reported:\n%v", errors)
	}
}

// ExpectError fails the test unless there is one error, at the attribute ("" is none), and its summary and detail hold
// all the words.
func (d Diagnostics) ExpectError(t testing.TB, attribute string, words ...string) {
	t.Helper()
	if errors := d.Errors(); len(errors) != 1 || !errors[0].says(attribute, words) {
		t.Errorf("want one error at %q with %q; reported:\n%v", attribute, words, d)
	}
}

// ExpectWarning fails the test unless there is a warning at the attribute whose summary and detail hold all the words.
func (d Diagnostics) ExpectWarning(t testing.TB, attribute string, words ...string) {
	t.Helper()
	if !slices.ContainsFunc(d.Warnings(), func(one Diagnostic) bool { return one.says(attribute, words) }) {
		t.Errorf("want a warning at %q with %q; reported:\n%v", attribute, words, d)
	}
}

// ExpectOnlyWarning fails the test unless there is no error, and one warning with just this summary and detail; no warning
// if the detail is "".
func (d Diagnostics) ExpectOnlyWarning(t testing.TB, summary, detail string) {
	t.Helper()
	d.ExpectNoError(t)
	switch warnings := d.Warnings(); {
	case detail == "" && len(warnings) > 0:
		t.Errorf("warns of\n%v\nwanted nothing", warnings)
	case detail != "" && (len(warnings) != 1 || warnings[0].Summary != summary || warnings[0].Detail != detail):
		t.Errorf("warns of\n%v\nwanted\n%s\n%s", warnings, summary, detail)
	}
}

// ExpectOnlyAccessWarning is ExpectOnlyWarning for one of who can do what: what changes, and who gains and who loses by it.
func (d Diagnostics) ExpectOnlyAccessWarning(t testing.TB, what, effects string) {
	t.Helper()
	if effects != "" {
		effects = what + ".\n\n" + effects
	}
	d.ExpectOnlyWarning(t, "This plan changes who can do what", effects)
}

func diagnosticsOf(reported []*tfprotov6.Diagnostic) Diagnostics {
	all := Diagnostics{}
	for _, one := range reported {
		all = append(all, Diagnostic{
			IsError:   one.Severity == tfprotov6.DiagnosticSeverityError,
			Attribute: rootOf(one.Attribute), Summary: one.Summary, Detail: one.Detail,
		})
	}
	return all
}

// rootOf is the outermost attribute of a path.
func rootOf(path *tftypes.AttributePath) string {
	if path == nil || len(path.Steps()) == 0 {
		return ""
	}
	name, _ := path.Steps()[0].(tftypes.AttributeName)
	return string(name)
}
