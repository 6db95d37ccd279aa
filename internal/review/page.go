package review

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

// The page is one file that asks nothing of anybody: style and script are in it, and its policy lets a browser load
// nothing else. It is complete as it is written, also for a browser without scripts; the script adds filters and the switch
// between light and dark.

//go:embed page
var pageFiles embed.FS

var pageTemplate = template.Must(template.New("page.tmpl").Funcs(template.FuncMap{
	"count":    count,
	"counted":  counted,
	"inWords":  inWords,
	"meanings": func() any { return Words },
	"about": func(oldName string, action Action) template.HTML {
		return snippet(func(s *sheet) { s.about(oldName, action) })
	},
	"addresses": func(addresses []string) template.HTML { return snippet(func(s *sheet) { s.addresses(addresses) }) },
	"change":    func(change Change) template.HTML { return snippet(func(s *sheet) { s.change(change) }) },
	"mark":      func(e *effect) template.HTMLAttr { return template.HTMLAttr(snippet(func(s *sheet) { s.mark(e) })) }, //nolint:gosec // numbers
	"effect":    func(e *effect) template.HTML { return snippet(func(s *sheet) { s.effect(e) }) },
}).ParseFS(pageFiles, "page/page.tmpl"))

// WriteHTML writes a review as a page for a browser. What is not known is said to be so; names are shown as they are,
// whatever they hold.
func WriteHTML(w io.Writer, r *Review) error {
	return pageTemplate.Execute(w, newPage(r))
}

// Policy is the page's content security policy: its own style and script, known by their hashes, and nothing else.
func (p *page) Policy() string {
	return fmt.Sprintf("default-src 'none'; img-src data:; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
		hashOf(p.readFile("style.css")), hashOf(p.readFile("script.js")))
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Style is the page's only style sheet.
func (p *page) Style() template.CSS {
	return template.CSS(p.readFile("style.css")) //nolint:gosec // a file of this package
}

// Script is the page's only script.
func (p *page) Script() template.JS {
	return template.JS(p.readFile("script.js")) //nolint:gosec // a file of this package
}

func (*page) readFile(name string) string {
	text, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// count writes a number as people do: 1,000.
func count(n int) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// counted is a number of things: 1 channel, 2 channels.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return count(n) + " " + thing + "s"
}

// inWords is what a plan does with something; empty for what it does not change itself.
func inWords(action Action) string {
	return map[Action]string{
		Affects: "", Create: "new", Update: "changed", Replace: "replaced", Archive: "archived",
		Deactivate: "deactivated", Reactivate: "reactivated", Release: "no longer managed",
	}[action]
}
