// Package page writes a report or an audit as a page for a browser: one file that asks nothing of anyone. Style and script
// are in it, and its policy lets a browser load nothing else. [Write] writes a report, complete as it is written, also for a
// browser without scripts; the script adds filters. [WriteAudit] writes an audit, of which most is data that the script
// shows as far as it is asked for: all of a large organization is more than a browser draws quickly.
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
	"about":      about,
	"quietRules": report.QuietText,
	"list":       report.List,
	"others":     func(all []string) []string { return all[min(len(all), report.MaxListed):] },
	"conditions": func() []report.ConditionMeaning { return report.Conditions },
	"kinds":      func() []audit.KindMeaning { return audit.Kinds },
	"severities": func() []audit.Severity { return audit.Severities },
}).ParseFS(files, "*.tmpl"))

// Write writes a report as a page. What is not known is said to be so; names are shown as they are, whatever they hold.
func Write(w io.Writer, r *report.Report) error {
	return templates.ExecuteTemplate(w, "review.tmpl", newView(r))
}

// WriteAudit writes an audit as a page. If the account does not see everything, the first line says so; names are shown as
// they are, whatever they hold.
func WriteAudit(w io.Writer, a *audit.Audit) error {
	return templates.ExecuteTemplate(w, "audit.tmpl", newAuditView(a))
}

// rendered renders a part that is used in many places of the page.
func rendered(name string, data any) template.HTML {
	var text strings.Builder
	if err := templates.ExecuteTemplate(&text, name, data); err != nil {
		panic(err) // a part that cannot be written is a mistake in its template
	}
	return template.HTML(text.String()) //nolint:gosec // a template has escaped it
}

// layout is what every page begins with.
type layout struct {
	Title        string // what the page is
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
