// Package page writes a report as a page for a browser: one file that asks nothing of anybody. Style and script are in it,
// and its policy lets a browser load nothing else. It is complete as it is written, also for a browser without scripts; the
// script adds filters and the switch between light and dark.
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/review/report"
)

//go:embed *.tmpl style.css script.js
var files embed.FS

var pageTemplate = template.Must(template.New("page.tmpl").Funcs(template.FuncMap{
	"count":      report.Count,
	"counted":    report.Counted,
	"categories": func() []report.CategoryMeaning { return report.Categories },
}).ParseFS(files, "*.tmpl"))

// Write writes a report as a page. What is not known is said to be so; names are shown as they are, whatever they hold.
func Write(w io.Writer, r *report.Report) error {
	return pageTemplate.Execute(w, newView(r))
}

// rendered is what a part of the page comes to that is written in many places.
func rendered(name string, data any) template.HTML {
	var text strings.Builder
	if err := pageTemplate.ExecuteTemplate(&text, name, data); err != nil {
		panic(err) // a part that cannot be written is a mistake in its template
	}
	return template.HTML(text.String()) //nolint:gosec // a template has escaped it
}

// Policy is the page's content security policy: its own style and script, known by their hashes, and nothing else.
func (v *view) Policy() string {
	return fmt.Sprintf("default-src 'none'; img-src data:; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
		hashOf(readFile("style.css")), hashOf(readFile("script.js")))
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Style is the page's only style sheet.
func (v *view) Style() template.CSS {
	return template.CSS(readFile("style.css")) //nolint:gosec // a file of this package
}

// Script is the page's only script.
func (v *view) Script() template.JS {
	return template.JS(readFile("script.js")) //nolint:gosec // a file of this package
}

func readFile(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}
