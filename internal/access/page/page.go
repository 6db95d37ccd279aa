// Package page writes a report or an audit as a page for a browser: one file that sends no requests. It contains its style
// and script, and its policy forbids to load anything.
//
// [Write] writes a report that is complete without scripts; the script adds filters. [WriteAudit] writes an audit mostly as
// data, and the script draws the parts that are opened: a browser can't draw a large organization quickly.
//
// Both pages share a layout (layout.tmpl, style.css, common.js), and write people as a table once and sets of them as
// numbers (sets.go).
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

//go:embed *.tmpl *.css *.js
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"count":      report.Count,
	"counted":    report.Counted,
	"about":      (*report.Account).About,
	"quietRules": report.QuietText,
	"list":       report.List,
	"first":      func(all []string) []string { return all[:min(len(all), report.MaxListed)] },
	"others":     func(all []string) []string { return all[min(len(all), report.MaxListed):] },
	"conditions": func() []report.ConditionMeaning { return report.Conditions },
	"kinds":      func() []audit.KindMeaning { return audit.Kinds },
	"severities": func() []audit.Severity { return audit.Severities },
}).ParseFS(files, "*.tmpl"))

// Write writes a report as a page, with names unchanged.
func Write(w io.Writer, r *report.Report) error {
	return templates.ExecuteTemplate(w, "review.tmpl", newView(r))
}

// WriteAudit writes an audit as a page, with names unchanged. If the account does not see everything, the first line says
// so.
func WriteAudit(w io.Writer, a *audit.Audit) error {
	return templates.ExecuteTemplate(w, "audit.tmpl", newAuditView(a))
}

// rendered renders a part that is used in many places of the page.
func rendered(name string, data any) template.HTML {
	var text strings.Builder
	if err := templates.ExecuteTemplate(&text, name, data); err != nil {
		panic(err) // an error is a mistake in the template
	}
	return template.HTML(text.String()) //nolint:gosec // the template has escaped it
}

// layout is the beginning of every page.
type layout struct {
	Title        string // the heading of the page
	Organization string
	style        string
	script       string
}

// newLayout returns the layout of a page that has styles and scripts of its own, by the names of their files.
func newLayout(title, organization string, own ...string) *layout {
	l := &layout{Title: title, Organization: organization, style: readFile("style.css"), script: readFile("common.js")}
	for _, name := range own {
		if strings.HasSuffix(name, ".css") {
			l.style += readFile(name)
		} else {
			l.script += readFile(name)
		}
	}
	return l
}

// Policy is the page's content security policy: only its own style and script, by their hashes.
func (l *layout) Policy() string {
	return fmt.Sprintf("default-src 'none'; img-src data:; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
		hashOf(l.style), hashOf(l.script))
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Style is the page's only style sheet.
func (l *layout) Style() template.CSS {
	return template.CSS(l.style) //nolint:gosec // files of this package
}

// Script is the page's only script.
func (l *layout) Script() template.JS {
	return template.JS(l.script) //nolint:gosec // files of this package
}

func readFile(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}
