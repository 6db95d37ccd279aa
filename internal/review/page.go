package review

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
)

// The page is one file that asks nothing of anybody: style and script are in it, and its policy lets a browser load
// nothing else. It is complete as it is written; the script only adds filters and the switch between light and dark.

//go:embed page
var pageFiles embed.FS

var pageTemplate = template.Must(template.New("page.tmpl").Funcs(template.FuncMap{
	"count":    count,
	"counted":  counted,
	"inWords":  inWords,
	"meanings": func() any { return Words },
}).ParseFS(pageFiles, "page/*.tmpl"))

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

// isolate keeps the direction of a name's script from turning around what is beside it, where no element can.
func isolate(name string) string {
	return "\u2068" + strings.NewReplacer("\n", " ", "\u2069", "").Replace(name) + "\u2069"
}
